// transformer-generate: prompts in, texts out, by a language model.
#include <utility>

#include "apps/common/decode_options.h"
#include "apps/common/explain_output.h"
#include "apps/common/program.h"
#include "apps/common/text_input.h"
#include "apps/generate/arguments.h"
#include "apps/generate/attention.h"
#include "transformer/base/error.h"
#include "transformer/base/progress.h"
#include "transformer/base/streams.h"
#include "transformer/generation/text_generator.h"

namespace {

using namespace transformer;
using Arguments = apps::GenerateArguments;
using Continuations = std::vector<std::vector<generation::Continuation>>;

std::string input_of(const Arguments& arguments) {
  return arguments.input.empty() ? "-" : arguments.input;
}

std::vector<std::string> prompts_of(const Arguments& arguments) {
  return arguments.prompts.empty() ? apps::read_text(input_of(arguments)) : arguments.prompts;
}

/// A stop that --stop gives may have come too late for what is shown already, so nothing is shown early then.
bool streams(const Arguments& arguments, const apps::PrintedForm& form) {
  const bool to_screen = arguments.output.empty() || arguments.output == "-";
  return form.one_text && !form.json && to_screen && arguments.options.stop.empty() && !arguments.beam;
}

Continuations draw_texts(const Arguments& arguments, generation::TextGenerator& generator,
                         const std::vector<std::string>& prompts, const apps::PrintedForm& form,
                         apps::StreamPrinter& stream) {
  auto options = arguments.options;
  if (arguments.seed) options.seed = static_cast<std::uint64_t>(*arguments.seed);
  const auto& interrupted = apps::stop_when_signalled();
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
  auto found = generator.generate(prompts, options, calls);
  progress.finish();
  if (streams(arguments, form)) stream.finish(begin + found.front().front().text);
  return found;
}

Continuations search_texts(const Arguments& arguments, generation::TextGenerator& generator,
                           const std::vector<std::string>& prompts, const search::DecodeOptions& decode,
                           std::optional<apps::ExplainOutput>& explain) {
  const auto& interrupted = apps::stop_when_signalled();
  Progress progress("searching", std::ssize(prompts), {.quiet = arguments.common.quiet});
  search::TreeRecorder recorder(explain ? prompts.size() : 0);
  generation::TextSearchCalls calls;
  calls.progress = [&](std::size_t done) { progress.update(static_cast<std::int64_t>(done)); };
  calls.before_step = [&] {
    if (interrupted) throw Interrupted();
  };
  if (explain) calls.observer = [&](const search::ObservedStep& step) { recorder(step); };
  auto found = generator.beam_search(prompts, arguments.options, decode, calls);
  progress.finish();
  if (!explain) return found;
  const auto& tokenizer = generator.tokenizer();
  report::Explanation explanation{.model = arguments.model,
                                  .options = decode,
                                  .piece_of = [&](std::int32_t token) { return tokenizer.piece_of(token); },
                                  .sentences = {}};
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    report::ExplainedSentence text{
        .source = prompts[i], .pieces = tokenizer.pieces(prompts[i]), .tree = recorder.trees()[i]};
    for (const auto& one : found[i]) {
      text.hypotheses.push_back({one.ids, one.score.value_or(0), one.log_probability.value_or(0),
                                 one.end == generation::End::token});
      text.texts.push_back(one.text);
    }
    explanation.sentences.push_back(std::move(text));
  }
  explain->write(explanation);
  return found;
}

int generate(const Arguments& arguments) {
  const auto input = input_of(arguments);
  const auto decode = apps::override_decode_options(arguments.model, arguments.common.set, arguments.decode);
  apps::TranslationOutput output(arguments.output, arguments.attention.overwrite, {input});
  const std::vector<std::filesystem::path> others{input, arguments.output.empty() ? "-" : arguments.output};
  apps::TextAttention attention(arguments.attention, arguments.model, arguments.common.device, others);
  std::optional<apps::ExplainOutput> explain;
  if (!arguments.explain.empty()) {
    auto more = others;
    more.emplace_back(arguments.attention.document);
    explain.emplace(arguments.explain, arguments.attention.overwrite, more, decode.beam);
  }
  generation::TextGenerator generator(
      arguments.model, {.device = arguments.common.device, .precision = arguments.common.precision});
  const auto prompts = prompts_of(arguments);
  if (explain)
    apps::check_explained(prompts.size(), arguments.prompts.empty() ? input_name(input) : "--prompt");
  auto form = arguments.form;
  form.prompt = !arguments.no_prompt;
  form.one_text = prompts.size() == 1 && (arguments.beam ? decode.nbest : arguments.options.samples) == 1;
  apps::StreamPrinter stream(output);
  const auto all = arguments.beam ? search_texts(arguments, generator, prompts, decode, explain)
                                  : draw_texts(arguments, generator, prompts, form, stream);
  for (std::size_t i = 0; i < all.size() && !streams(arguments, form); ++i)
    for (std::size_t j = 0; j < all[i].size(); ++j)
      output.write(apps::printed(all[i][j], prompts[i], i, static_cast<std::int64_t>(j), form));
  attention.add(generator, prompts, all);
  output.finish();
  if (explain) explain->finish();
  attention.finish();
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Continues texts with a language model: each token is drawn by what the model says of all, narrowed "
      "down by the options in the order of this list, or the best text is searched for (--beam). One text is "
      "printed as it grows; of several each is a line, in which line ends are written as \\n.",
      "transformer-generate");
  Arguments arguments;
  apps::add_arguments(app, arguments);
  apps::add_common_options(app, arguments.common, {"fp32", "tf32", "bf16", "fp16", "int8", "auto"});
  apps::run_program(app, arguments.common, argc, argv, [&] { return generate(arguments); });
}
