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

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  for (std::size_t i = 0; i < orders.size(); ++i) {
    orders[i].hypothesis += other.orders[i].hypothesis;
    orders[i].reference += other.orders[i].reference;
    orders[i].matches += other.orders[i].matches;
  }
  return *this;
}

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

std::vector<ChrfCounts> chrf_counts(const Corpus& corpus, const ChrfOptions& options) {
  check_corpus(corpus);
  std::vector<ChrfCounts> counts;
  counts.reserve(corpus.hypotheses.size());
  for (std::size_t i = 0; i < corpus.hypotheses.size(); ++i) {
    counts.push_back(chrf_counts(corpus.hypotheses[i], corpus.references_of(i), options));
  }
  return counts;
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

double corpus_chrf(const Corpus& corpus, const ChrfOptions& options) {
  ChrfCounts sum;
  for (const auto& counts : chrf_counts(corpus, options)) sum += counts;
  return chrf_score(sum);
}

std::string chrf_name(const ChrfOptions& options) {
  return "chrF" + std::to_string(chrf_beta) + std::string(static_cast<std::size_t>(options.word_order), '+');
}

std::string chrf_signature(const ChrfOptions& options, std::size_t references, const Draws& draws) {
  return format_signature(references, draws, options.lowercase,
                          {{"eff", "yes"},
                           {"nc", std::to_string(chrf_character_order)},
                           {"nw", std::to_string(options.word_order)},
                           {"space", "no"}});
}

}  // namespace transformer::eval
