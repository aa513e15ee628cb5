#include "apps/translate/arguments.h"

#include "apps/common/decode_options.h"
#include "apps/common/explain_output.h"
#include "apps/common/not_empty.h"
#include "apps/common/sampling_options.h"

namespace transformer::apps {
namespace {

/// Options that stand for a key of the configuration, and those of draws. Each wins over a --set.
void add_decode_options(CLI::App& app, TranslateArguments& arguments) {
  DecodeOptionAdder options(app, arguments.decode);
  const auto listed = [&arguments](auto&&...) { arguments.nbest = true; };
  std::vector of_search{
      options.add("--beam", "INT", "beam", "Hypotheses kept at each step; 1: greedy search"),
      app.get_option("--explain")};
  const auto searched = [&](const std::vector<CLI::Option*>& more) {
    of_search.insert(of_search.end(), more.begin(), more.end());
  };
  searched(
      options.add_search("Print so many translations of each line, as 'line ||| text ||| score'", listed));
  searched(options.add_length_penalty());
  options.add("--length-offset", "INT", "length_offset",
              "Tokens by which an output may be longer than its source, at most 4096");
  options.add("--batch-tokens", "INT", "batch_tokens", "Padded source tokens translated together");
  app.add_option(
         "--prefix", arguments.prefix,
         "File with a line for each line of the input: what its translation begins with; may be empty")
      ->check(kNotEmpty);
  auto* sample = app.add_flag("--sample", arguments.sample,
                              "Draw translations, in the place of a search, as for back-translation");
  for (auto* option : of_search) option->excludes(sample);
  app.add_option("--samples", arguments.draw.samples,
                 "Print so many drawn translations of each line, as 'line ||| text ||| log-probability'")
      ->each(listed)
      ->needs(sample);
  for (auto* option : add_sampling_options(app, arguments.draw.sampling)) option->needs(sample);
  add_seed_option(app, arguments.seed,
                  "Seed of the draws (1): texts do not depend on batches, threads and processes")
      ->needs(sample);
}

}  // namespace

void add_arguments(CLI::App& app, TranslateArguments& arguments) {
  app.add_option("--model", arguments.model, "Model directory, or a run directory (its best checkpoint)")
      ->required()
      ->check(kNotEmpty);
  app.add_option("--input", arguments.input, "File to translate; - is standard input, the default")
      ->check(kNotEmpty);
  app.add_option("--output", arguments.output,
                 "File to write, which appears when it is complete; - is standard output, the default")
      ->check(kNotEmpty);
  app.add_flag("--overwrite", arguments.attention.overwrite,
               "Replace outputs that are files, other than the input or a part of a model");
  app.add_option("--source-language", arguments.source_language,
                 "Language of the input, of a model for several: its token begins each line")
      ->check(kNotEmpty);
  app.add_option("--target-language", arguments.target_language,
                 "Language of the output, likewise: its token begins each translation and is not printed")
      ->check(kNotEmpty);
  add_attention_option(app, arguments.attention);
  add_alignment_options(app, arguments.attention.alignment);
  add_explain_option(app, arguments.explain)
      ->excludes("--attention")
      ->excludes("--alignment")
      ->excludes("--alignment-mask-end");
  add_decode_options(app, arguments);
}

LineTranslationSettings settings_of(const TranslateArguments& arguments) {
  const auto decode = override_decode_options(arguments.model, arguments.common.set, arguments.decode);
  LineTranslationSettings settings{.model = arguments.model,
                                   .translator = {.device = arguments.common.device,
                                                  .precision = arguments.common.precision,
                                                  .source_language = arguments.source_language,
                                                  .target_language = arguments.target_language},
                                   .decode = decode,
                                   .prefix = arguments.prefix,
                                   .nbest = arguments.nbest || (decode.nbest > 1 && !arguments.sample),
                                   .quiet = arguments.common.quiet};
  if (arguments.sample) settings.draw = arguments.draw;
  if (arguments.seed) settings.draw->seed = static_cast<std::uint64_t>(*arguments.seed);
  return settings;
}

}  // namespace transformer::apps
