#include "transformer/eval/answer_scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/eval/text.h"

namespace transformer::eval {
namespace {

std::vector<std::string> words_of_answer(std::string_view answer) {
  auto text = lowercase(std::string(answer));
  std::erase_if(text, [](unsigned char c) { return std::ispunct(c) && c < 0x80; });
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    if (word != "a" && word != "an" && word != "the") words.push_back(word);
  return words;
}

double overlap_of(const std::vector<std::string>& found, const std::vector<std::string>& expected) {
  if (found.empty() || expected.empty()) return found.empty() && expected.empty() ? 1 : 0;
  std::map<std::string, int> left;
  for (const auto& word : expected) ++left[word];
  const auto same = static_cast<double>(
      std::ranges::count_if(found, [&](const std::string& word) { return left[word]-- > 0; }));
  return same == 0 ? 0 : 2 * same / static_cast<double>(found.size() + expected.size());
}

/// The best that compare(words, words of a right answer) gives.
template <typename Compare>
double best_of_answers(std::string_view found, std::string_view expected, const Compare& compare) {
  const auto words = words_of_answer(found);
  double highest = 0;
  while (true) {
    const auto end = expected.find(kAnswerMark);
    highest =
        std::max(highest, static_cast<double>(compare(words, words_of_answer(expected.substr(0, end)))));
    if (end == std::string_view::npos) return highest;
    expected.remove_prefix(end + kAnswerMark.size());
  }
}

/// The mean of a score of 0 … 1, kept in 1e-9.
struct Mean {
  std::int64_t sum = 0;
  std::int64_t texts = 0;
};

constexpr double kOne = 1e9;

template <typename Score>
Metric mean_metric(const char* name, const Score& score) {
  return {.name = name,
          .fields = {{"unit", "answer"}},
          .lowercase = true,
          .count =
              [score](std::string_view found, const Sentences& references) {
                double highest = 0;
                for (const auto& reference : references)
                  highest = std::max(highest, static_cast<double>(score(found, reference)));
                return to_counts(Mean{std::llround(kOne * highest), 1});
              },
          .score =
              [](std::span<const std::int64_t> counts) {
                const auto [sum, texts] = from_counts<Mean>(counts);
                return texts == 0 ? 0 : 100 / kOne * static_cast<double>(sum) / static_cast<double>(texts);
              },
          .detail = [](std::span<const std::int64_t>) { return std::string(); }};
}

}  // namespace

bool is_exact_answer(std::string_view found, std::string_view expected) {
  return best_of_answers(found, expected, [](const auto& a, const auto& b) { return a == b; }) > 0;
}

double answer_overlap(std::string_view found, std::string_view expected) {
  return best_of_answers(found, expected, overlap_of);
}

Metric exact_match_metric(const MetricOptions&) {
  return mean_metric("Exact match", is_exact_answer);
}

Metric answer_f1_metric(const MetricOptions&) {
  return mean_metric("Answer F1", answer_overlap);
}

}  // namespace transformer::eval
