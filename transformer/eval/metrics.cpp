#include "transformer/eval/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/figure_text.h"
#include "transformer/eval/metric_table.h"

namespace transformer::eval {
namespace {

/// What is drawn for the scores' intervals and tests.
Draws draws_of(const ScoringOptions& options, bool compared) {
  return {.bootstrap = options.confidence || options.lengths || compared ? options.resampling.samples : 0,
          .randomization = compared ? options.resampling.trials : 0,
          .seed = options.resampling.seed};
}

MetricResult score(const Metric& metric, const Corpus& corpus, const ScoringOptions& options,
                   const Sentences& baseline) {
  const bool compared = !baseline.empty();
  const Runs system{count_sentences(metric, corpus)};
  const auto sum = sum_of(system.front());
  MetricResult result{
      .name = metric.name,
      .score = metric.score(sum),
      .signature = signature_of(metric, corpus.references.size(), draws_of(options, compared)),
      .detail = metric.detail(sum)};
  if (options.confidence) result.interval = confidence_interval(metric, system, options.resampling);
  if (options.lengths)
    result.by_length = scores_by_length(metric, system.front(), *options.lengths, options.resampling);
  if (!compared) return result;
  const Runs other{count_sentences(metric, {baseline, corpus.references})};
  result.baseline =
      BaselineResult{mean_score(metric, other), paired_bootstrap(metric, system, other, options.resampling),
                     paired_randomization(metric, system, other, options.resampling)};
  return result;
}

}  // namespace

std::string format_result(const MetricResult& result) {
  auto line = fmt::format("{}|{} = {}", result.name, result.signature, figure_text(result.score, 2));
  if (result.interval) line += fmt::format(" ({})", format_interval(*result.interval));
  return result.detail.empty() ? line : line + ' ' + result.detail;
}

std::string format_interval(const Interval& interval) {
  return fmt::format("μ = {:.2f} ± {:.2f}", interval.mean, interval.half_width);
}

std::string format_comparison(const MetricResult& result) {
  const auto& [score, bootstrap, randomization] = result.baseline.value();
  return fmt::format(
      "{} baseline = {:.2f} difference = {:+.2f} p = {:.4f} (paired bootstrap, two-sided) p = {:.4f} "
      "(one-sided, as sacreBLEU's) p = {:.4f} (approximate randomization)",
      result.name, score, bootstrap.difference, bootstrap.p_value, bootstrap.sacrebleu_p_value,
      randomization.p_value);
}

std::vector<std::string> format_by_length(const MetricResult& result) {
  std::vector<std::string> lines;
  for (const auto& group : result.by_length) {
    const auto words = fmt::format("{} of sources of {} words", result.name, words_of(group));
    lines.push_back(group.sentences == 0 ? fmt::format("{}: no sentences", words)
                                         : fmt::format("{} = {:.2f} ({}), {} sentences", words, group.score,
                                                       format_interval(group.interval), group.sentences));
  }
  return lines;
}

std::vector<MetricResult> score_corpus(const Corpus& corpus, const std::vector<std::string>& metrics,
                                       const ScoringOptions& options, const Sentences& baseline) {
  if (!baseline.empty() && baseline.size() != corpus.hypotheses.size())
    throw InputError(fmt::format("baseline: expected {} lines, as in the hypothesis, found {}",
                                 corpus.hypotheses.size(), baseline.size()));
  std::vector<MetricResult> results;
  for (const auto& name : metrics) {
    if (std::ranges::count(metrics, name) > 1)
      throw InputError(fmt::format("metrics: expected each once, found '{}' twice", name));
    results.push_back(score(find_metric(name, options.metric), corpus, options, baseline));
  }
  return results;
}

}  // namespace transformer::eval
