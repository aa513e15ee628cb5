#include "transformer/eval/metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/eval/bleu.h"
#include "transformer/eval/chrf.h"

namespace transformer::eval {
namespace {

/// A corpus to be scored, and how.
struct Task {
  const Corpus& corpus;
  const MetricOptions& options;
  const Sentences& baseline;

  Draws draws() const {
    const bool compared = !baseline.empty();
    return {.bootstrap = options.confidence || compared ? options.resampling.samples : 0,
            .randomization = compared ? options.resampling.trials : 0,
            .seed = options.resampling.seed};
  }
};

/// Adds what `task` asks for beyond the score. count: from a corpus to its sentences' counts.
template <typename Counts, typename Count>
MetricResult complete(MetricResult result, const Task& task, const std::vector<Counts>& counts, Count count) {
  const auto& resampling = task.options.resampling;
  const Runs<Counts> system{counts};
  if (task.options.confidence) result.interval = confidence_interval(system, resampling);
  if (task.baseline.empty()) return result;
  const Runs<Counts> baseline{count(Corpus{task.baseline, task.corpus.references})};
  result.baseline = BaselineResult{mean_score(baseline), paired_bootstrap(system, baseline, resampling),
                                   paired_randomization(system, baseline, resampling)};
  return result;
}

std::string bleu_detail(const BleuScore& score) {
  const auto& counts = score.counts;
  const double ratio = counts.reference_length > 0 ? static_cast<double>(counts.hypothesis_length) /
                                                         static_cast<double>(counts.reference_length)
                                                   : 0;
  return fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     fmt::join(score.precisions, "/"), score.brevity_penalty, ratio, counts.hypothesis_length,
                     counts.reference_length);
}

MetricResult score_bleu(const Task& task) {
  const BleuOptions bleu{.tokenization = task.options.tokenization, .lowercase = task.options.lowercase};
  const auto count = [&](const Corpus& corpus) { return bleu_counts(corpus, bleu); };
  const auto counts = count(task.corpus);
  BleuCounts sum;
  for (const auto& sentence : counts) sum += sentence;
  const auto score = bleu_score(sum);
  const MetricResult result{.name = "BLEU",
                            .score = score.score,
                            .signature = bleu_signature(bleu, task.corpus.references.size(), task.draws()),
                            .detail = bleu_detail(score)};
  return complete(result, task, counts, count);
}

MetricResult score_chrf(const Task& task, int word_order) {
  const ChrfOptions chrf{.word_order = word_order, .lowercase = task.options.lowercase};
  const auto count = [&](const Corpus& corpus) { return chrf_counts(corpus, chrf); };
  const auto counts = count(task.corpus);
  ChrfCounts sum;
  for (const auto& sentence : counts) sum += sentence;
  const MetricResult result{.name = chrf_name(chrf),
                            .score = chrf_score(sum),
                            .signature = chrf_signature(chrf, task.corpus.references.size(), task.draws()),
                            .detail = ""};
  return complete(result, task, counts, count);
}

}  // namespace

std::string format_result(const MetricResult& result) {
  auto line = fmt::format("{}|{} = {:.2f}", result.name, result.signature, result.score);
  if (result.interval) line += fmt::format(" ({})", format_interval(*result.interval));
  return result.detail.empty() ? line : line + ' ' + result.detail;
}

std::string format_interval(const Interval& interval) {
  return fmt::format("μ = {:.2f} ± {:.2f}", interval.mean, interval.half_width);
}

std::string format_comparison(const MetricResult& result) {
  const auto& [score, bootstrap, randomization] = result.baseline.value();
  return fmt::format(
      "{} baseline = {:.2f} difference = {:+.2f} p = {:.4f} (paired bootstrap) p = {:.4f} (approximate "
      "randomization)",
      result.name, score, bootstrap.difference, bootstrap.p_value, randomization.p_value);
}

std::vector<MetricResult> score_corpus(const Corpus& corpus, const std::vector<std::string>& metrics,
                                       const MetricOptions& options, const Sentences& baseline) {
  if (!baseline.empty() && baseline.size() != corpus.hypotheses.size())
    throw InputError(fmt::format("baseline: expected {} lines, as in the hypothesis, found {}",
                                 corpus.hypotheses.size(), baseline.size()));
  const Task task{corpus, options, baseline};
  std::vector<MetricResult> results;
  for (const auto& metric : metrics) {
    if (std::ranges::count(metrics, metric) > 1)
      throw InputError(fmt::format("metrics: expected each once, found '{}' twice", metric));
    if (metric == "bleu") {
      results.push_back(score_bleu(task));
    } else if (metric == "chrf") {
      results.push_back(score_chrf(task, 0));
    } else if (metric == "chrf++") {
      results.push_back(score_chrf(task, 2));
    } else {
      throw InputError(fmt::format("metrics: expected bleu, chrf or chrf++, found '{}'", metric));
    }
  }
  return results;
}

}  // namespace transformer::eval
