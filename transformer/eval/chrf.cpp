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

/// The code points, with white space or without.
Units characters(std::string_view line, bool whitespace) {
  Units units;
  if (whitespace) {
    for (const char32_t c : decode(line)) units.push_back(c);
    return units;
  }
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
Metric metric_of(const ChrfOptions& options, bool lowercase) {
  return {.name = "chrF" + std::to_string(options.beta) +
                  std::string(static_cast<std::size_t>(options.word_order), '+'),
          .fields = {{"eff", options.eps_smoothing ? "no" : "yes"},
                     {"nc", std::to_string(chrf_character_order)},
                     {"nw", std::to_string(options.word_order)},
                     {"space", options.whitespace ? "yes" : "no"}},
          .lowercase = lowercase,
          .count =
              [=](std::string_view hypothesis, const Sentences& references) {
                return to_counts(chrf_counts(hypothesis, references, options, lowercase));
              },
          .score =
              [=](std::span<const std::int64_t> sum) {
                return chrf_score(from_counts<ChrfCounts>(sum), options);
              },
          .detail = [](std::span<const std::int64_t>) { return std::string(); }};
}

/// (1 + beta²) P R / (beta² P + R), or `nothing` where nothing is found.
double f_score(double precision, double recall, int beta, double nothing) {
  const double factor = static_cast<double>(beta) * beta;
  const double below = factor * precision + recall;
  return below > 0 ? (1 + factor) * precision * recall / below : nothing;
}

}  // namespace

ChrfCounts chrf_counts(std::string_view hypothesis, const Sentences& references, const ChrfOptions& options,
                       bool in_lower_case) {
  std::vector<std::string> lines{std::string(hypothesis)};
  lines.insert(lines.end(), references.begin(), references.end());
  if (in_lower_case) {
    for (auto& line : lines) line = lowercase(line);
  }
  std::vector<Units> letters;
  std::vector<std::vector<std::string>> words;
  for (const auto& line : lines) {
    letters.push_back(characters(line, options.whitespace));
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
    const double score = chrf_score(candidate, options);
    if (score > best_score) {
      best_score = score;
      best = candidate;
    }
  }
  return best;
}

double chrf_score(const ChrfCounts& counts, const ChrfOptions& options) {
  constexpr double kEpsilon = 1e-16;
  const auto asked = static_cast<std::size_t>(chrf_character_order + options.word_order);
  double precision = 0, recall = 0, smoothed = 0;
  int orders = 0;
  for (std::size_t i = 0; i < counts.orders.size(); ++i) {
    const auto& order = counts.orders[i];
    const auto share = [&](std::int64_t total) {
      return total > 0 ? static_cast<double>(order.matches) / static_cast<double>(total) : kEpsilon;
    };
    if (i < asked)
      smoothed += f_score(share(order.hypothesis), share(order.reference), options.beta, kEpsilon);
    if (order.hypothesis == 0 || order.reference == 0) continue;
    precision += share(order.hypothesis);
    recall += share(order.reference);
    ++orders;
  }
  if (options.eps_smoothing) return 100 * smoothed / static_cast<double>(asked);
  return orders == 0 ? 0 : 100 * f_score(precision / orders, recall / orders, options.beta, 0);
}

Metric chrf_metric(const MetricOptions& options) {
  return metric_of(options.chrf, options.lowercase);
}

Metric chrf_plus_plus_metric(const MetricOptions& options) {
  auto chrf = options.chrf;
  chrf.word_order = chrf_max_word_order;
  return metric_of(chrf, options.lowercase);
}

}  // namespace transformer::eval
