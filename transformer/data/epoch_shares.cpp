#include "transformer/data/epoch_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "transformer/base/error.h"
#include "transformer/base/random.h"

namespace transformer::data {
namespace {

/// From 0 to 1, without 1.
double draw(std::uint64_t seed, std::int64_t example) {
  constexpr std::uint64_t kOwn = 0x65706f6368;  // apart from other hashes of the seed
  return static_cast<double>(mix(mix(seed, kOwn), example) >> 11U) * 0x1p-53;
}

}  // namespace

EpochShares epoch_shares(const DataOptions& options, const std::vector<std::int64_t>& kept) {
  const auto& weights = options.weights;
  const auto texts = std::max<std::size_t>(kept.size(), 1);
  if (!weights.empty() && weights.size() != texts)
    throw InputError(
        fmt::format("data.weights: expected {} number{}, one for each text of data.train, found {}", texts,
                    texts == 1 ? "" : "s", weights.size()));
  if (std::ranges::all_of(weights, [](double weight) { return weight == 1.0; })) return {};
  EpochShares shares;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) shares.push_back({end += kept[i], weights[i]});
  return shares;
}

std::vector<std::int64_t> examples_of_epoch(std::int64_t count, const EpochShares& shares, std::uint64_t seed,
                                            std::int64_t epoch) {
  std::vector<std::int64_t> examples;
  if (shares.empty()) {
    examples.resize(static_cast<std::size_t>(count));
    std::iota(examples.begin(), examples.end(), 0);
    return examples;
  }
  std::int64_t example = 0;
  for (const auto& share : shares) {
    // The next epoch's `before` is this one's `after`, to the bit.
    const double before = static_cast<double>(epoch) * share.weight,
                 after = static_cast<double>(epoch + 1) * share.weight;
    for (; example < share.end; ++example) {
      const double u = draw(seed, example);
      const auto times = static_cast<std::size_t>(std::floor(after + u) - std::floor(before + u));
      examples.insert(examples.end(), times, example);
    }
  }
  if (examples.empty())
    throw InputError(fmt::format(
        "data.weights: expected weights that leave examples to each epoch, found none for epoch {}",
        epoch + 1));
  return examples;
}

}  // namespace transformer::data
