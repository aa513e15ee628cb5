#include "data/demo_corpus/nearest.h"

#include <cstdint>
#include <map>
#include <unordered_map>

#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

// The words and word pairs of a sentence, with how often each occurs.
std::map<std::string, std::uint32_t> features(const std::string& sentence) {
  std::map<std::string, std::uint32_t> counts;
  std::string before;
  for (const std::string& word : split(sentence)) {
    ++counts[word];
    if (!before.empty()) ++counts[before + " " + word];
    before = word;
  }
  return counts;
}

struct Posting {
  std::uint32_t sentence, count;
};

}  // namespace

std::vector<std::size_t> nearest_sentences(const std::vector<std::string>& memory,
                                           const std::vector<std::string>& queries) {
  std::unordered_map<std::string, std::vector<Posting>> index;
  std::vector<std::uint32_t> sizes(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    for (const auto& [feature, count] : features(memory[i])) {
      index[feature].push_back({static_cast<std::uint32_t>(i), count});
      sizes[i] += count;
    }
  }
  std::vector<std::size_t> result;
  std::vector<std::uint32_t> common(memory.size());
  for (const std::string& query : queries) {
    common.assign(memory.size(), 0);
    std::uint32_t size = 0;
    for (const auto& [feature, count] : features(query)) {
      size += count;
      const auto found = index.find(feature);
      if (found == index.end()) continue;
      for (const Posting& posting : found->second) common[posting.sentence] += std::min(count, posting.count);
    }
    std::size_t best = 0;
    double best_score = -1;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const double score = 2.0 * common[i] / (size + sizes[i]);
      if (score > best_score) {
        best = i;
        best_score = score;
      }
    }
    result.push_back(best);
  }
  return result;
}

}  // namespace transformer::demo
