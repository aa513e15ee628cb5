#include "transformer/eval/metric.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace transformer::eval {

std::string key_of(const Metric& metric) {
  auto key = metric.name;
  std::ranges::transform(key, key.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return key;
}

std::vector<Counts> count_sentences(const Metric& metric, const Corpus& corpus) {
  check_corpus(corpus);
  std::vector<Counts> counts;
  counts.reserve(corpus.hypotheses.size());
  for (std::size_t i = 0; i < corpus.hypotheses.size(); ++i)
    counts.push_back(metric.count(corpus.hypotheses[i], corpus.references_of(i)));
  return counts;
}

Counts sum_of(const std::vector<Counts>& sentences) {
  Counts sum(sentences.empty() ? 0 : sentences.front().size());
  for (const auto& counts : sentences)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
  return sum;
}

double corpus_score(const Metric& metric, const Corpus& corpus) {
  return metric.score(sum_of(count_sentences(metric, corpus)));
}

std::string signature_of(const Metric& metric, std::size_t references, const Draws& draws) {
  return format_signature(metric.is_of_predictions() ? 0 : references, draws, metric.lowercase,
                          metric.fields);
}

}  // namespace transformer::eval
