// A search without a model: what follows a hypothesis is a function of all its tokens.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "transformer/base/special_tokens.h"
#include "transformer/search/step.h"

namespace transformer::test {

using Ids = std::vector<std::int32_t>;
inline constexpr std::int32_t kVocabulary = 7;  // kPad, kBos, kEos and four others

/// log P of each token after these of sentence number `sentence`; padding and begin count, too.
inline std::vector<double> next(std::size_t sentence, const Ids& ids) {
  std::uint64_t state = 977 * (sentence + 1);
  for (const auto id : ids)
    state = state * 6364136223846793005ULL + static_cast<std::uint64_t>(id) * 1442695ULL;
  std::vector<double> scores;
  double total = 0;
  for (std::int32_t token = 0; token < kVocabulary; ++token) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    scores.push_back(static_cast<double>(state >> 40) / static_cast<double>(1 << 24) * 4);
    total += std::exp(scores.back());
  }
  for (auto& score : scores) score -= std::log(total);
  return scores;
}

/// A Step, which knows its hypotheses by what they continue.
class Steps {
 public:
  void operator()(const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
    std::vector<Ids> continued;
    best.width = std::min<std::int64_t>(width, kVocabulary);
    best.log_probabilities.clear();
    best.tokens.clear();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const bool first = histories_.empty();
      continued.push_back(first ? Ids{} : histories_.at(static_cast<std::size_t>(rows.parents[row])));
      if (first)
        CHECK(rows.tokens[row] == kBos);
      else
        continued.back().push_back(rows.tokens[row]);
      const auto all = next(static_cast<std::size_t>(rows.sentences[row]), continued.back());
      std::vector<std::int32_t> order;
      for (std::int32_t token = 0; token < kVocabulary; ++token)
        if (token != kPad && token != kBos &&
            (rows.only[row] == search::kAnyToken || token == rows.only[row]))
          order.push_back(token);
      std::ranges::sort(order, std::ranges::greater(),
                        [&](auto token) { return all[static_cast<std::size_t>(token)]; });
      for (std::size_t i = 0; i < static_cast<std::size_t>(best.width); ++i) {
        const bool known = i < order.size();
        best.tokens.push_back(known ? order[i] : kEos);
        best.log_probabilities.push_back(known ? static_cast<float>(all[static_cast<std::size_t>(order[i])])
                                               : -std::numeric_limits<float>::infinity());
      }
    }
    histories_ = std::move(continued);
  }

 private:
  std::vector<Ids> histories_;
};

}  // namespace transformer::test
