#include "apps/generate/arguments.h"

#include "apps/common/decode_options.h"
#include "apps/common/explain_output.h"
#include "apps/common/not_empty.h"
#include "apps/common/sampling_options.h"

namespace transformer::apps {
namespace {

void add_files(CLI::App& app, GenerateArguments& arguments) {
  app.add_option("--model", arguments.model, "Model directory, or a run directory (its best checkpoint)")
      ->required()
      ->check(kNotEmpty);
  auto* prompt =
      app.add_option("--prompt", arguments.prompts, "Text to continue; may be empty; may be repeated");
  app.add_option(
         "--input", arguments.input,
         "File with a prompt in each line, in the place of --prompt; - is standard input, the default")
      ->check(kNotEmpty)
      ->excludes(prompt);
  app.add_option("--output", arguments.output,
                 "File to write, which appears when it is complete; - is standard output, the default")
      ->check(kNotEmpty);
  app.add_flag("--overwrite", arguments.attention.overwrite, "Replace outputs that are files");
}

/// Options of draws. A search has no use for them.
std::vector<CLI::Option*> add_draws(CLI::App& app, GenerateArguments& arguments) {
  auto& options = arguments.options;
  std::vector<CLI::Option*> added{
      app.add_option("--samples", options.samples, "Continuations of each prompt")->capture_default_str(),
      app.add_option("--stop", options.stop,
                     "End a continuation where this text would begin; may be repeated")};
  for (auto* option : add_sampling_options(app, options.sampling)) added.push_back(option);
  added.push_back(
      add_seed_option(app, arguments.seed, "Seed of the draws (1): texts do not depend on --batch"));
  added.push_back(app.add_flag("--slide", options.slide,
                               "At the window's end go on from its later half, in the place of ending"));
  return added;
}

void add_search(CLI::App& app, GenerateArguments& arguments, const std::vector<CLI::Option*>& draws) {
  DecodeOptionAdder options(app, arguments.decode);
  auto* beam = options.add("--beam", "INT", "beam",
                           "Search for the best continuations, in the place of drawing, with so many "
                           "hypotheses at each step",
                           [&arguments] { arguments.beam = true; });
  for (auto* option : draws) option->excludes(beam);
  for (auto* option : options.add_search("Print so many continuations of each prompt, best first"))
    option->needs(beam);
  for (auto* option : options.add_length_penalty()) option->needs(beam);
  add_explain_option(app, arguments.explain)->needs(beam);
}

}  // namespace

void add_arguments(CLI::App& app, GenerateArguments& arguments) {
  auto& options = arguments.options;
  add_files(app, arguments);
  app.add_option("--max-tokens", options.max_tokens, "Most tokens of a continuation")->capture_default_str();
  const auto draws = add_draws(app, arguments);
  add_search(app, arguments, draws);
  app.add_option(
         "--window", options.window,
         "Tokens that the model reads at most; 0: as many as it can (learned positions: max_positions)")
      ->capture_default_str();
  app.add_option("--batch", options.batch, "Texts that are continued together")->capture_default_str();
  app.add_flag("--json", arguments.form.json,
               "Print JSON lines: prompt, sample, text, ids, log_probabilities by the model alone, or of a "
               "search log_probability and score, end (end, stop, limit, window)");
  app.add_flag("--no-prompt", arguments.no_prompt, "Print continuations without their prompts");
  add_attention_option(app, arguments.attention);
  app.get_option("--attention")->excludes("--slide");
}

}  // namespace transformer::apps
