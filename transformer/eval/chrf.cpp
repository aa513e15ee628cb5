#include "transformer/eval/chrf.h"

#include <algorithm>

#include "transformer/eval/ngrams.h"
#include "transformer/eval/text.h"

namespace transformer::eval {
namespace {

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// The words, with one ASCII punctuation mark split off: the last character if it is one, else the first.
std::vector<std::string> punctuated_words(std::string_view line) {
  std::vector<std::string> words;
  for (const auto word : split_words(line)) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      words.emplace_back(word.substr(0, word.size() - 1));
      words.emplace_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      words.emplace_back(word.substr(0, 1));
      words.emplace_back(word.substr(1));
    } else {
      words.emplace_back(word);
    }
  }
  return words;
}

/// The code points of all words, without the white space between them.
Units characters(std::string_view line) {
  Units units;
  for (const auto word : split_words(line)) {
    for (const char32_t c : decode(word)) units.push_back(c);
  }
  return units;
}

/// Adds the counts of sentences[0] against each of the others to `counts`, from orders[offset] on.
void count_orders(const std::vector<Units>& sentences, int max_order, std::size_t offset,
                  std::vector<ChrfCounts>& counts) {
  for_each_ngram(sentences, max_order, [&](int n, std::span<const std::int64_t> occurrences) {
    for (std::size_t r = 0; r < counts.size(); ++r) {
      auto& order = counts[r].orders[offset + static_cast<std::size_t>(n) - 1];
      order.hypothesis += occurrences[0];
      order.reference += occurrences[r + 1];
      order.matches += std::min(occurrences[0], occurrences[r + 1]);
    }
  });
}

/// "chrF2" or "chrF2++".
Metric metric_of(const ChrfOptions& options) {
  return {.name = "chrF" + std::to_string(chrf_beta) +
                  std::string(static_cast<std::size_t>(options.word_order), '+'),
          .fields = {{"eff", "yes"},
                     {"nc", std::to_string(chrf_character_order)},
                     {"nw", std::to_string(options.word_order)},
                     {"space", "no"}},
          .lowercase = options.lowercase,
          .count =
              [options](std::string_view hypothesis, const Sentences& references) {
                return to_counts(chrf_counts(hypothesis, references, options));
              },
          .score = [](std::span<const std::int64_t> sum) { return chrf_score(from_counts<ChrfCounts>(sum)); },
          .detail = [](std::span<const std::int64_t>) { return std::string(); }};
}

}  // namespace

ChrfCounts chrf_counts(std::string_view hypothesis, const Sentences& references, const ChrfOptions& options) {
  std::vector<std::string> lines{std::string(hypothesis)};
  lines.insert(lines.end(), references.begin(), references.end());
  if (options.lowercase) {
    for (auto& line : lines) line = lowercase(line);
  }
  std::vector<Units> letters;
  std::vector<std::vector<std::string>> words;
  for (const auto& line : lines) {
    letters.push_back(characters(line));
    if (options.word_order > 0) words.push_back(punctuated_words(line));
  }
  std::vector<ChrfCounts> counts(references.size());
  count_orders(letters, chrf_character_order, 0, counts);
  count_orders(number_words(words), std::min(options.word_order, chrf_max_word_order), chrf_character_order,
               counts);

  ChrfCounts best;
  double best_score = -1;
  for (auto& candidate : counts) {
    for (auto& order : candidate.orders) {
      if (order.reference == 0) order.hypothesis = 0;
    }
    const double score = chrf_score(candidate);
    if (score > best_score) {
      best_score = score;
      best = candidate;
    }
  }
  return best;
}

double chrf_score(const ChrfCounts& counts) {
  double precision = 0;
  double recall = 0;
  int orders = 0;
  for (const auto& order : counts.orders) {
    if (order.hypothesis == 0 || order.reference == 0) continue;
    precision += static_cast<double>(order.matches) / static_cast<double>(order.hypothesis);
    recall += static_cast<double>(order.matches) / static_cast<double>(order.reference);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  constexpr double factor = chrf_beta * chrf_beta;
  return 100 * (1 + factor) * precision * recall / (factor * precision + recall);
}

Metric chrf_metric(const MetricOptions& options) {
  return metric_of({.word_order = 0, .lowercase = options.lowercase});
}

Metric chrf_plus_plus_metric(const MetricOptions& options) {
  return metric_of({.word_order = chrf_max_word_order, .lowercase = options.lowercase});
}

}  // namespace transformer::eval
