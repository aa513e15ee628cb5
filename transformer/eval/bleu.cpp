#include "transformer/eval/bleu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "transformer/base/choices.h"
#include "transformer/eval/ngrams.h"
#include "transformer/eval/text.h"

namespace transformer::eval {
namespace {

std::vector<std::string> words_of(std::string_view line, const MetricOptions& options) {
  if (!options.lowercase) return tokenize(line, options.tokenization);
  if (options.tokenization != Tokenization::paper) return tokenize(lowercase(line), options.tokenization);
  auto words = tokenize(line, options.tokenization);
  for (auto& word : words) word = lowercase(word);
  return words;
}

/// "58.2/32.0/19.9/12.9 (BP = 1.000 ratio = 1.004 hyp_len = 61473 ref_len = 61222)"
std::string describe(const BleuScore& score) {
  const auto& counts = score.counts;
  const double ratio = counts.reference_length > 0 ? static_cast<double>(counts.hypothesis_length) /
                                                         static_cast<double>(counts.reference_length)
                                                   : 0;
  return fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     fmt::join(score.precisions, "/"), score.brevity_penalty, ratio, counts.hypothesis_length,
                     counts.reference_length);
}

/// "exp", "floor[0.10]"
std::string describe(const BleuOptions& options) {
  const auto usual = usual_value(options.smoothing);
  return usual ? fmt::format("{}[{:.2f}]", name_of(options.smoothing), options.value.value_or(*usual))
               : std::string(name_of(options.smoothing));
}

}  // namespace

BleuCounts bleu_counts(std::string_view hypothesis, const Sentences& references,
                       const MetricOptions& options) {
  std::vector<std::vector<std::string>> words{words_of(hypothesis, options)};
  for (const auto& reference : references) words.push_back(words_of(reference, options));

  BleuCounts counts;
  counts.hypothesis_length = std::ssize(words[0]);
  std::pair<std::int64_t, std::int64_t> closest{-1, 0};  // (distance, length); the smallest pair wins
  for (std::size_t r = 1; r < words.size(); ++r) {
    const std::int64_t length = std::ssize(words[r]);
    const std::pair candidate{std::abs(length - counts.hypothesis_length), length};
    if (closest.first < 0 || candidate < closest) closest = candidate;
  }
  counts.reference_length = closest.second;

  for_each_ngram(number_words(words), bleu_order, [&](int n, std::span<const std::int64_t> occurrences) {
    const auto in_references = occurrences.subspan(1);
    const auto most =
        in_references.empty() ? 0 : *std::max_element(in_references.begin(), in_references.end());
    const auto order = static_cast<std::size_t>(n - 1);
    counts.totals[order] += occurrences[0];
    counts.matches[order] += std::min(occurrences[0], most);
  });
  return counts;
}

BleuScore bleu_score(const BleuCounts& counts, const BleuOptions& options) {
  BleuScore result;
  result.counts = counts;
  const auto hypothesis_length = static_cast<double>(counts.hypothesis_length);
  const auto reference_length = static_cast<double>(counts.reference_length);
  if (counts.hypothesis_length >= counts.reference_length) {
    result.brevity_penalty = 1;
  } else if (counts.hypothesis_length > 0) {
    result.brevity_penalty = std::exp(1 - reference_length / hypothesis_length);
  }
  if (counts.matches[0] == 0) return result;  // without a word in common there is no longer match either

  const auto value = options.value.value_or(usual_value(options.smoothing).value_or(0));
  double log_sum = 0, exponential = 1;
  int orders = 0;
  for (std::size_t i = 0; i < counts.totals.size(); ++i, ++orders) {
    const double added = options.smoothing == Smoothing::add_k && i > 0 ? value : 0;
    const auto total = static_cast<double>(counts.totals[i]) + added;
    auto matches = static_cast<double>(counts.matches[i]) + added;
    if (total == 0) break;
    if (matches == 0) {
      if (options.smoothing == Smoothing::exp) matches = 1 / (exponential *= 2);
      if (options.smoothing == Smoothing::floor) matches = value;
    }
    result.precisions[i] = 100 * matches / total;
    log_sum += std::log(result.precisions[i]);  // minus infinity where a precision is 0
  }
  if (orders == bleu_order || options.effective_order)
    result.score = result.brevity_penalty * std::exp(log_sum / orders);
  return result;
}

BleuScore corpus_bleu(const Corpus& corpus, const MetricOptions& options) {
  return bleu_score(from_counts<BleuCounts>(sum_of(count_sentences(bleu_metric(options), corpus))),
                    options.bleu);
}

Metric bleu_metric(const MetricOptions& options) {
  return {.name = "BLEU",
          .fields = {{"eff", options.bleu.effective_order ? "yes" : "no"},
                     {"tok", name_of(options.tokenization)},
                     {"smooth", describe(options.bleu)}},
          .lowercase = options.lowercase,
          .count =
              [options](std::string_view hypothesis, const Sentences& references) {
                return to_counts(bleu_counts(hypothesis, references, options));
              },
          .score =
              [options](std::span<const std::int64_t> sum) {
                return bleu_score(from_counts<BleuCounts>(sum), options.bleu).score;
              },
          .detail =
              [options](std::span<const std::int64_t> sum) {
                return describe(bleu_score(from_counts<BleuCounts>(sum), options.bleu));
              }};
}

}  // namespace transformer::eval
