#include "transformer/eval/ngrams.h"

#include <algorithm>
#include <map>
#include <random>

#include "tests/catch.h"

using namespace transformer::eval;

TEST_CASE("n-grams are counted as by hand") {
  const auto sentences = number_words({{"a", "b", "a", "b"}, {"b", "a"}, {}});
  std::map<std::pair<int, std::vector<std::int64_t>>, int> groups;
  for_each_ngram(sentences, 5, [&](int n, std::span<const std::int64_t> counts) {
    ++groups[{n, {counts.begin(), counts.end()}}];
  });
  const std::map<std::pair<int, std::vector<std::int64_t>>, int> expected{
      {{1, {2, 1, 0}}, 2},  // a, b
      {{2, {2, 0, 0}}, 1},  // a b
      {{2, {1, 1, 0}}, 1},  // b a
      {{3, {1, 0, 0}}, 2},  // a b a, b a b
      {{4, {1, 0, 0}}, 1},
  };
  CHECK(groups == expected);
}

TEST_CASE("n-gram counts of random sentences equal those of a plain map") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Units> sentences(3);
    for (auto& units : sentences) {
      units.resize(random() % 60);
      for (auto& unit : units) unit = random() % 3;
    }
    std::map<Units, std::vector<std::int64_t>> plain;
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      for (std::size_t start = 0; start < sentences[s].size(); ++start) {
        for (std::size_t n = 1; n <= 6 && start + n <= sentences[s].size(); ++n) {
          const auto first = sentences[s].begin() + static_cast<std::ptrdiff_t>(start);
          auto& counts = plain[Units(first, first + static_cast<std::ptrdiff_t>(n))];
          counts.resize(sentences.size());
          ++counts[s];
        }
      }
    }
    std::multimap<int, std::vector<std::int64_t>> expected;
    for (const auto& [ngram, counts] : plain) expected.emplace(static_cast<int>(ngram.size()), counts);
    std::multimap<int, std::vector<std::int64_t>> found;
    for_each_ngram(sentences, 6, [&](int n, std::span<const std::int64_t> counts) {
      found.emplace(n, std::vector<std::int64_t>(counts.begin(), counts.end()));
    });
    const auto sorted = [](const auto& map) {
      std::vector<std::pair<int, std::vector<std::int64_t>>> list(map.begin(), map.end());
      std::sort(list.begin(), list.end());
      return list;
    };
    CHECK(sorted(found) == sorted(expected));
  }
}
