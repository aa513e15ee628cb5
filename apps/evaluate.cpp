// transformer-evaluate: metrics of a translation, such as BLEU and chrF, or loss and perplexity of a model.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "apps/evaluate_options.h"
#include "apps/evaluate_output.h"
#include "apps/model_loss.h"
#include "apps/program.h"
#include "apps/text_input.h"
#include "transformer/base/error.h"
#include "transformer/eval/metric_table.h"
#include "transformer/eval/metrics.h"

namespace {

using namespace transformer;

using Options = apps::EvaluateOptions;

eval::Sentences read_sentences(const std::string& path) {
  auto lines = apps::read_text(path, ByteOrderMark::keep);
  if (lines[0].starts_with("\xEF\xBB\xBF")) {
    spdlog::warn("{}: the byte order mark counts as a part of the first word, as it does for sacreBLEU",
                 path);
  }
  return lines;
}

/// What must have a line for each of the hypothesis'.
eval::Sentences read_beside(const eval::Sentences& hypotheses, const std::string& path,
                            const Options& options) {
  auto sentences = read_sentences(path);
  apps::check_line_count(sentences.size(), path, hypotheses.size(), options.hypothesis);
  return sentences;
}

eval::Corpus read_corpus(const Options& options) {
  eval::Corpus corpus;
  corpus.hypotheses = read_sentences(options.hypothesis);
  for (const auto& path : options.references)
    corpus.references.push_back(read_beside(corpus.hypotheses, path, options));
  return corpus;
}

void check_texts(const Options& options, const apps::CommonOptions& common) {
  if (options.hypothesis.empty())
    throw InputError("expected --hypothesis with --reference, or --model with --data, found neither");
  if (!common.set.empty())
    throw InputError(
        fmt::format("--set {}: expected with --model only, since texts are scored without a configuration",
                    common.set.front()));
  std::vector<apps::TextOption> texts{{"--hypothesis", options.hypothesis}};
  for (const auto& path : options.references) texts.emplace_back("--reference", path);
  texts.emplace_back("--baseline", options.baseline);
  texts.emplace_back("--by-length", options.source);
  if (!eval::is_rising(options.lengths))
    throw InputError(
        fmt::format("--lengths {}: expected rising numbers, found others", fmt::join(options.lengths, ",")));
  apps::check_standard_input(texts);
}

std::vector<eval::MetricResult> evaluate(const Options& options, const apps::CommonOptions& common) {
  if (!options.model.empty()) return apps::model_loss(options.model, options.data, common);
  check_texts(options, common);
  const auto corpus = read_corpus(options);
  eval::Sentences baseline;
  if (!options.baseline.empty()) baseline = read_beside(corpus.hypotheses, options.baseline, options);
  eval::ScoringOptions scoring{.metric = {.tokenization = eval::tokenization_from_name(options.tokenize),
                                          .lowercase = options.lowercase},
                               .confidence = options.confidence};
  if (common.seed) scoring.resampling.seed = static_cast<std::uint64_t>(*common.seed);
  if (!options.source.empty())
    scoring.lengths = {eval::word_counts(read_beside(corpus.hypotheses, options.source, options)),
                       options.lengths};
  return eval::score_corpus(corpus, options.metrics, scoring, baseline);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "BLEU and chrF of a translation, equal to sacreBLEU's, each with its signature; or a model's loss and "
      "perplexity on prepared data",
      "transformer-evaluate");
  apps::CommonOptions common;
  Options options;
  apps::add_options(app, options);
  apps::add_common_options(app, common);
  return apps::run_program(app, common, argc, argv, [&] {
    apps::print_results(evaluate(options, common), options.json);
    return apps::kDone;
  });
}
