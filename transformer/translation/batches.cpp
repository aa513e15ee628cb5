#include "transformer/translation/batches.h"

#include <algorithm>
#include <numeric>

#include "transformer/base/special_tokens.h"

namespace transformer::translation {
namespace {

/// A shorter sentence counts as one of so many tokens: the decoder's memory grows with the number of
/// sentences.
constexpr std::size_t kShortest = 16;

}  // namespace

std::vector<SourceBatch> make_batches(std::vector<std::vector<std::int32_t>> ids, std::int64_t batch_tokens,
                                      std::size_t most_sentences) {
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t line) { return ids[line].empty(); });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ids[a].size() > ids[b].size(); });
  std::vector<SourceBatch> batches;
  std::size_t room = 0;
  for (const auto line : order) {
    if (room == 0) {
      const auto width = std::max(ids[line].size() + 1, kShortest);
      room = std::clamp(static_cast<std::size_t>(batch_tokens) / width, std::size_t{1}, most_sentences);
      batches.emplace_back();
    }
    --room;
    ids[line].push_back(kEos);
    batches.back().lines.push_back(line);
    batches.back().ids.push_back(std::move(ids[line]));
  }
  return batches;
}

}  // namespace transformer::translation
