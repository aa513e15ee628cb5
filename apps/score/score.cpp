// transformer-score: how probable a model finds given translations, or texts.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "apps/common/attention_output.h"
#include "apps/common/decode_options.h"
#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/score/counts.h"
#include "apps/score/output.h"
#include "apps/score/pairs.h"
#include "transformer/base/error.h"
#include "transformer/base/figure_text.h"
#include "transformer/base/progress.h"
#include "transformer/base/streams.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/forced_scores.h"

namespace {

using namespace transformer;

constexpr std::size_t kChunk = 2000;  // pairs that are sorted by length, computed and printed together

struct Arguments {
  apps::CommonOptions common;
  std::string model, metric, output;
  apps::ScoredTexts texts;
  apps::ScoreFormat format;
  apps::AttentionFiles attention;
  std::vector<std::string> decode;  // --set for each option that stands for a key
  bool length_penalty = false;      // whether one of them says how to divide
};

int score(const Arguments& arguments) {
  const auto options = apps::override_decode_options(arguments.model, arguments.common.set, arguments.decode);
  if (arguments.length_penalty && !arguments.format.normalize)
    throw InputError("--alpha, --length-penalty: expected --normalize, which divides by the length penalty");
  const auto device = runtime::choose_device(arguments.common.device);
  apps::AttentionOutput attention(arguments.attention, arguments.model, arguments.texts.files());
  const bool formatted = arguments.format.json || arguments.format.tokens || arguments.format.normalize;
  if (formatted && attention.is_printed())
    throw InputError("--json, --tokens, --normalize: expected scores, found what is printed in their place");
  if (!arguments.output.empty() && arguments.metric.empty())
    throw InputError("--output: expected --metric, whose counts it is for");
  std::optional<eval::Metric> metric;
  if (!arguments.metric.empty()) metric = apps::metric_of_predictions(arguments.metric);
  if (metric && attention.is_printed()) throw InputError("--metric: expected no --attention that is printed");
  if (formatted && metric)
    throw InputError("--json, --tokens, --normalize: expected scores, found --metric, which prints counts");
  std::optional<apps::TranslationOutput> output;
  if (metric) output.emplace(arguments.output, arguments.attention.overwrite, arguments.texts.files());
  auto model = checkpoints::load_model(arguments.model, device);
  attention.check(model.model);
  const runtime::PrecisionScope scope(runtime::choose_precision(arguments.common.precision, device));
  const auto pairs = apps::read_pairs(arguments.texts, model, arguments.model);
  attention.check_pairs(pairs.size(), arguments.texts.source);
  // A bar would stand between the scores on a terminal.
  Progress progress("scoring", static_cast<std::int64_t>(pairs.size()),
                    {.quiet = arguments.common.quiet || isatty(STDOUT_FILENO) != 0});
  double sum = 0;
  std::size_t tokens = 0;
  eval::Counts counts;
  const translation::TokenTexts texts(*model.tokenizers.target);
  for (std::size_t begin = 0; begin < pairs.size(); begin += kChunk) {
    const auto chunk = std::span(pairs).subspan(begin, std::min(kChunk, pairs.size() - begin));
    const auto report = [&](std::size_t done) {
      progress.update(static_cast<std::int64_t>(begin + done), fmt::format("{} pairs", begin + done));
    };
    if (metric) {
      apps::write_counts(*metric, model.model, texts, chunk, options.batch_tokens, report, *output, counts);
      attention.add(model.model, model.tokenizers, chunk, translation::TextOrigin::given);
      continue;
    }
    const auto scores = translation::forced_scores(model.model, chunk, options.batch_tokens, report);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const auto named = apps::name_tokens(chunk[i], scores[i], *model.tokenizers.target);
      const double total = apps::total_log_probability(named);
      if (std::isnan(total))
        throw checkpoints::diverged(arguments.model, fmt::format(" in line {}", begin + i + 1));
      if (!attention.is_printed()) fmt::print("{}\n", apps::format_score(named, options, arguments.format));
      sum += total;
      tokens += named.size();
    }
    std::fflush(stdout);
    attention.add(model.model, model.tokenizers, chunk, translation::TextOrigin::given);
  }
  attention.finish();
  progress.finish();
  if (metric) {
    output->finish();
    spdlog::info("{}", apps::describe_score(*metric, counts));
    return apps::kDone;
  }
  spdlog::info("{} pairs, {} target tokens, perplexity {}", pairs.size(), tokens,
               figure_text(std::exp(-sum / static_cast<double>(tokens)), 4));
  return apps::kDone;
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--model", arguments.model, "Model directory, or a run directory (its best checkpoint)")
      ->required()
      ->check(apps::kNotEmpty);
  auto& texts = arguments.texts;
  auto* source = app.add_option("--source", texts.source,
                                "Sentences, one a line; - is standard input; none for a language model")
                     ->check(apps::kNotEmpty);
  auto* target =
      app.add_option("--target", texts.target,
                     "Their translations, line by line, or a language model's text; - is standard input")
          ->check(apps::kNotEmpty);
  app.add_option("--data", texts.data,
                 "In their place: train, dev or test of the model's prepared data, or a data set file")
      ->excludes(source)
      ->excludes(target)
      ->check(apps::kNotEmpty);
  auto& format = arguments.format;
  app.add_flag("--tokens", format.tokens,
               "Also each token and its log-probability, behind further tabs: 'piece -0.123456'");
  app.add_flag("--normalize", format.normalize,
               "Divide the sum by the length penalty: the score of transformer-translate --nbest");
  app.add_flag("--json", format.json, "Print one JSON object a line instead");
  app.add_option("--metric", arguments.metric,
                 "Print what a metric of predictions, such as perplexity, counts of each pair, in the place "
                 "of scores; "
                 "its score of all goes to standard error")
      ->check(apps::kNotEmpty);
  app.add_option(
         "--output", arguments.output,
         "With --metric: file to write, which appears when it is complete; - is standard output, the default")
      ->check(apps::kNotEmpty);
  apps::add_attention_options(app, arguments.attention);
  apps::DecodeOptionAdder options(app, arguments.decode);
  options.add_length_penalty([&arguments] { arguments.length_penalty = true; });
  options.add("--batch-tokens", "INT", "batch_tokens", "Padded tokens of either side computed together");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Scores given translations, or texts, by their probability under a model. Prints a line for each: the "
      "sum "
      "of the natural logarithms of the target tokens' probabilities, a tab, and their number, EOS included.",
      "transformer-score");
  Arguments arguments;
  add_options(app, arguments);
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] { return score(arguments); });
}
