// transformer-generate: prompts in, texts out, by a language model.
#include <unistd.h>

#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/common/text_input.h"
#include "apps/generate/printer.h"
#include "transformer/base/error.h"
#include "transformer/base/progress.h"
#include "transformer/generation/text_generator.h"

namespace {

using namespace transformer;

struct Arguments {
  apps::CommonOptions common;
  std::string model, input, output;
  std::vector<std::string> prompts;
  generation::GenerationOptions options;
  std::optional<std::int64_t> seed;
  apps::PrintedForm form;
  bool overwrite = false, no_prompt = false;
};

std::string input_of(const Arguments& arguments) {
  return arguments.input.empty() ? "-" : arguments.input;
}

std::vector<std::string> prompts_of(const Arguments& arguments) {
  return arguments.prompts.empty() ? apps::read_text(input_of(arguments)) : arguments.prompts;
}

/// A stop that --stop gives may have come too late for what is shown already, so nothing is shown early then.
bool streams(const Arguments& arguments, const apps::PrintedForm& form) {
  const bool to_screen = arguments.output.empty() || arguments.output == "-";
  return form.one_text && !form.json && to_screen && arguments.options.stop.empty();
}

int generate(const Arguments& arguments) {
  apps::TranslationOutput output(arguments.output, arguments.overwrite, {input_of(arguments)});
  const auto& interrupted = apps::stop_when_signalled();
  generation::TextGenerator generator(
      arguments.model, {.device = arguments.common.device, .precision = arguments.common.precision});
  const auto prompts = prompts_of(arguments);
  auto options = arguments.options;
  if (arguments.seed) options.seed = static_cast<std::uint64_t>(*arguments.seed);
  auto form = arguments.form;
  form.prompt = !arguments.no_prompt;
  form.one_text = prompts.size() == 1 && options.samples == 1;

  apps::StreamPrinter stream(output);
  Progress progress("generating", std::ssize(prompts) * options.samples * options.max_tokens,
                    {.quiet = arguments.common.quiet || form.one_text});
  std::int64_t tokens = 0;
  const auto begin = form.prompt && !prompts.empty() ? prompts.front() : std::string();
  generation::GenerationCalls calls;
  calls.before_step = [&] {
    if (interrupted) throw Interrupted();
    progress.update(tokens);
    if (calls.spelled) stream.show(begin);
  };
  if (streams(arguments, form)) {
    calls.spelled = true;
    calls.token = [&](std::size_t, std::int64_t, const auto& found) { stream.show(begin + found.text); };
  } else {
    calls.token = [&](std::size_t, std::int64_t, const auto&) { ++tokens; };
  }
  const auto all = generator.generate(prompts, options, calls);
  progress.finish();
  if (streams(arguments, form)) {
    stream.finish(begin + all.front().front().text);
  } else {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < all[i].size(); ++j)
        output.write(apps::printed(all[i][j], prompts[i], i, static_cast<std::int64_t>(j), form));
  }
  output.finish();
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Continues texts with a language model: each token is drawn by what the model says of all, narrowed "
      "down "
      "by the options in the order of this list. One text is printed as it grows; of several each is a line, "
      "in which line ends are written as \\n.",
      "transformer-generate");
  Arguments arguments;
  auto& o = arguments.options;
  auto& sampling = o.sampling;
  app.add_option("--model", arguments.model, "Model directory, or a run directory (its best checkpoint)")
      ->required()
      ->check(apps::kNotEmpty);
  auto* prompt =
      app.add_option("--prompt", arguments.prompts, "Text to continue; may be empty; may be repeated");
  app.add_option(
         "--input", arguments.input,
         "File with a prompt in each line, in the place of --prompt; - is standard input, the default")
      ->check(apps::kNotEmpty)
      ->excludes(prompt);
  app.add_option("--output", arguments.output,
                 "File to write, which appears when it is complete; - is standard output, the default")
      ->check(apps::kNotEmpty);
  app.add_flag("--overwrite", arguments.overwrite, "Replace an output that is a file");
  app.add_option("--max-tokens", o.max_tokens, "Most tokens of a continuation")->capture_default_str();
  app.add_option("--samples", o.samples, "Continuations of each prompt")->capture_default_str();
  app.add_option("--stop", o.stop, "End a continuation where this text would begin; may be repeated");
  app.add_option("--repetition-penalty", sampling.repetition_penalty,
                 "Divide positive logits of tokens that the text has already by this, multiply negative ones")
      ->capture_default_str();
  app.add_option("--temperature", sampling.temperature,
                 "Divide logits by this; 0: always take the most probable token (greedy)")
      ->capture_default_str();
  app.add_option("--top-k", sampling.top_k, "Draw from the k most probable tokens only; 0: from all")
      ->capture_default_str();
  app.add_option("--top-p", sampling.top_p,
                 "Draw from the fewest most probable tokens that have this probability together")
      ->capture_default_str();
  app.add_option("--min-p", sampling.min_p,
                 "Draw only tokens with this share of the most probable one's probability at least")
      ->capture_default_str();
  app.add_option(
         "--window", o.window,
         "Tokens that the model reads at most; 0: as many as it can (learned positions: max_positions)")
      ->capture_default_str();
  app.add_flag("--slide", o.slide, "At the window's end go on from its later half, in the place of ending");
  app.add_option("--batch", o.batch, "Texts that are continued together")->capture_default_str();
  app.add_flag("--json", arguments.form.json,
               "Print JSON lines: prompt, sample, text, ids, log_probabilities by the model alone, end "
               "(end, stop, limit, window)");
  app.add_flag("--no-prompt", arguments.no_prompt, "Print continuations without their prompts");
  apps::add_common_options(app, arguments.common, {"fp32", "tf32", "bf16", "fp16", "int8", "auto"});
  apps::add_seed_option(app, arguments.seed, "Seed of the draws (1): texts do not depend on --batch");
  apps::run_program(app, arguments.common, argc, argv, [&] { return generate(arguments); });
}
