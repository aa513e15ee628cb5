#include "transformer/eval/metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transformer/base/error.h"
#include "transformer/eval/bleu.h"
#include "transformer/eval/chrf.h"

namespace transformer::eval {
namespace {

MetricResult score_bleu(const Corpus& corpus, const MetricOptions& options) {
  const BleuOptions bleu{.tokenization = options.tokenization, .lowercase = options.lowercase};
  const BleuScore result = corpus_bleu(corpus, bleu);
  const auto& counts = result.counts;
  const double ratio = counts.reference_length > 0 ? static_cast<double>(counts.hypothesis_length) /
                                                         static_cast<double>(counts.reference_length)
                                                   : 0;
  return {.name = "BLEU",
          .score = result.score,
          .signature = bleu_signature(bleu, corpus.references.size()),
          .detail = fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                                fmt::join(result.precisions, "/"), result.brevity_penalty, ratio,
                                counts.hypothesis_length, counts.reference_length)};
}

MetricResult score_chrf(const Corpus& corpus, const MetricOptions& options, int word_order) {
  const ChrfOptions chrf{.word_order = word_order, .lowercase = options.lowercase};
  return {.name = chrf_name(chrf),
          .score = corpus_chrf(corpus, chrf),
          .signature = chrf_signature(chrf, corpus.references.size()),
          .detail = ""};
}

}  // namespace

std::string format_result(const MetricResult& result) {
  const auto line = fmt::format("{}|{} = {:.2f}", result.name, result.signature, result.score);
  return result.detail.empty() ? line : line + ' ' + result.detail;
}

std::vector<MetricResult> score_corpus(const Corpus& corpus, const std::vector<std::string>& metrics,
                                       const MetricOptions& options) {
  std::vector<MetricResult> results;
  for (const auto& metric : metrics) {
    if (metric == "bleu") {
      results.push_back(score_bleu(corpus, options));
    } else if (metric == "chrf") {
      results.push_back(score_chrf(corpus, options, 0));
    } else if (metric == "chrf++") {
      results.push_back(score_chrf(corpus, options, 2));
    } else {
      throw InputError(fmt::format("metrics: expected bleu, chrf or chrf++, found '{}'", metric));
    }
  }
  return results;
}

}  // namespace transformer::eval
