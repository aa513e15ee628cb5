#include "transformer/translation/forced_batches.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace transformer::translation {

std::size_t forced_width(const ForcedPair& pair) {
  return std::max(pair.source.size(), pair.target.size()) + 1;
}

std::vector<ForcedPair> forced_pairs(const data::ExampleSource& examples) {
  std::vector<ForcedPair> pairs;
  pairs.reserve(static_cast<std::size_t>(examples.size()));
  for (std::int64_t i = 0; i < examples.size(); ++i) {
    const auto batch = examples.make_batch(std::span(&i, 1));
    ForcedPair pair{.first = static_cast<std::int32_t>(batch.target_input.front()),
                    .last = static_cast<std::int32_t>(batch.target_output.back())};
    if (!batch.source.empty()) pair.source.assign(batch.source.begin(), batch.source.end() - 1);
    pair.target.assign(batch.target_output.begin(), batch.target_output.end() - 1);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<std::vector<std::size_t>> forced_batches(std::span<const ForcedPair> pairs,
                                                     std::int64_t batch_tokens) {
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return forced_width(pairs[i]); });
  std::vector<std::vector<std::size_t>> batches;
  std::size_t room = 0;
  for (const auto i : order) {
    if (room == 0) {
      room = std::max(static_cast<std::size_t>(batch_tokens) / forced_width(pairs[i]), std::size_t{1});
      batches.emplace_back();
    }
    --room;
    batches.back().push_back(i);
  }
  return batches;
}

ForcedTensors forced_tensors(std::span<const ForcedPair> pairs, std::span<const std::size_t> batch) {
  std::size_t source_width = 0, target_width = 0;
  for (const auto i : batch) {
    source_width = std::max(source_width, pairs[i].source.size() + 1);
    target_width = std::max(target_width, pairs[i].target.size() + 1);
  }
  std::vector<std::int64_t> source(batch.size() * source_width, kPad);
  std::vector<std::int64_t> input(batch.size() * target_width, kPad);
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const auto& pair = pairs[batch[row]];
    auto place =
        std::ranges::copy(pair.source, source.begin() + static_cast<std::ptrdiff_t>(row * source_width));
    *place.out = kEos;
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(row * target_width);
    *begin = pair.first;
    std::ranges::copy(pair.target, begin + 1);
  }
  const auto rows = static_cast<std::int64_t>(batch.size());
  return {torch::tensor(source).view({rows, -1}), torch::tensor(input).view({rows, -1})};
}

}  // namespace transformer::translation
