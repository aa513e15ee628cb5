#include "transformer/eval/ngrams.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace transformer::eval {

std::vector<Units> number_words(const std::vector<std::vector<std::string>>& sentences) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::vector<Units> numbered;
  for (const auto& words : sentences) {
    auto& units = numbered.emplace_back();
    units.reserve(words.size());
    for (const auto& word : words) {
      units.push_back(numbers.try_emplace(word, static_cast<std::uint32_t>(numbers.size())).first->second);
    }
  }
  return numbered;
}

void for_each_ngram(const std::vector<Units>& sentences, int max_order,
                    const std::function<void(int n, std::span<const std::int64_t> counts)>& visit) {
  // An n-gram is the pair (its first n-1 units, its last unit). Sorting the pairs brings equal n-grams
  // together, and the number of the group names the n-gram in the next order's pairs.
  struct Occurrence {
    std::uint64_t pair;
    std::uint32_t sentence;
    std::uint32_t start;
  };
  std::vector<std::vector<std::uint32_t>> prefix;  // [sentence][start]: the number of the (n-1)-gram there
  for (const auto& units : sentences) prefix.emplace_back(units.size(), 0);

  std::vector<Occurrence> occurrences;
  std::vector<std::int64_t> counts(sentences.size());
  for (int n = 1; n <= max_order; ++n) {
    occurrences.clear();
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      for (std::size_t last = static_cast<std::size_t>(n) - 1; last < sentences[s].size(); ++last) {
        const std::size_t start = last + 1 - static_cast<std::size_t>(n);
        occurrences.push_back({std::uint64_t{prefix[s][start]} << 32 | sentences[s][last],
                               static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(start)});
      }
    }
    std::sort(occurrences.begin(), occurrences.end(),
              [](const Occurrence& a, const Occurrence& b) { return a.pair < b.pair; });
    std::uint32_t group = 0;
    for (std::size_t begin = 0; begin < occurrences.size(); ++group) {
      std::fill(counts.begin(), counts.end(), 0);
      std::size_t end = begin;
      for (; end < occurrences.size() && occurrences[end].pair == occurrences[begin].pair; ++end) {
        ++counts[occurrences[end].sentence];
        prefix[occurrences[end].sentence][occurrences[end].start] = group;
      }
      visit(n, counts);
      begin = end;
    }
  }
}

}  // namespace transformer::eval
