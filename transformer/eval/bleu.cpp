#include "transformer/eval/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "transformer/eval/ngrams.h"
#include "transformer/eval/text.h"

namespace transformer::eval {
namespace {

std::vector<std::string> words_of(std::string_view line, const BleuOptions& options) {
  return options.lowercase ? tokenize(lowercase(line), options.tokenization)
                           : tokenize(line, options.tokenization);
}

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    matches[i] += other.matches[i];
    totals[i] += other.totals[i];
  }
  return *this;
}

BleuCounts bleu_counts(std::string_view hypothesis, const Sentences& references, const BleuOptions& options) {
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

std::vector<BleuCounts> bleu_counts(const Corpus& corpus, const BleuOptions& options) {
  check_corpus(corpus);
  std::vector<BleuCounts> counts;
  counts.reserve(corpus.hypotheses.size());
  for (std::size_t i = 0; i < corpus.hypotheses.size(); ++i) {
    counts.push_back(bleu_counts(corpus.hypotheses[i], corpus.references_of(i), options));
  }
  return counts;
}

BleuScore bleu_score(const BleuCounts& counts, bool effective_order) {
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

  double log_sum = 0;
  double smoothing = 1;
  int orders = 0;
  for (std::size_t i = 0; i < counts.totals.size() && counts.totals[i] > 0; ++i, ++orders) {
    const auto total = static_cast<double>(counts.totals[i]);
    if (counts.matches[i] == 0) {
      smoothing *= 2;
      result.precisions[i] = 100 / (smoothing * total);
    } else {
      result.precisions[i] = 100 * static_cast<double>(counts.matches[i]) / total;
    }
    log_sum += std::log(result.precisions[i]);
  }
  if (orders == bleu_order || effective_order)
    result.score = result.brevity_penalty * std::exp(log_sum / orders);
  return result;
}

BleuScore corpus_bleu(const Corpus& corpus, const BleuOptions& options) {
  BleuCounts sum;
  for (const auto& counts : bleu_counts(corpus, options)) sum += counts;
  return bleu_score(sum, options.effective_order);
}

BleuScore sentence_bleu(std::string_view hypothesis, const Sentences& references,
                        const BleuOptions& options) {
  return bleu_score(bleu_counts(hypothesis, references, options), true);
}

std::string bleu_signature(const BleuOptions& options, std::size_t references, const Draws& draws) {
  return format_signature(references, draws, options.lowercase,
                          {{"eff", options.effective_order ? "yes" : "no"},
                           {"tok", std::string(tokenization_name(options.tokenization))},
                           {"smooth", "exp"}});
}

}  // namespace transformer::eval
