#include "transformer/data/batching.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "transformer/base/random.h"

namespace transformer::data {
namespace {

/// splitmix64. Our own, because the standard library's shuffles and distributions
/// may differ between compilers, and a plan must not.
class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}

  std::uint64_t next() {
    state_ += kSplitmixIncrement;
    return splitmix(state_);
  }

  /// Uniform in 0 … bound - 1: values of the last, incomplete round are drawn again.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t incomplete = -bound % bound;  // 2^64 mod bound
    std::uint64_t value = next();
    while (value < incomplete) value = next();
    return value % bound;
  }

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

struct Length {
  std::int64_t source;
  std::int64_t target;
};

/// With the end tokens.
std::vector<Length> lengths_of(const Dataset& data) {
  std::vector<Length> lengths(static_cast<std::size_t>(data.size()));
  for (std::int64_t i = 0; i < data.size(); ++i) {
    lengths[static_cast<std::size_t>(i)] = {std::ssize(data.source(i)) + 1, std::ssize(data.target(i)) + 1};
  }
  return lengths;
}

const Length& at(const std::vector<Length>& lengths, std::int64_t i) {
  return lengths[static_cast<std::size_t>(i)];
}

/// Sorts by target, then source length; sentences of equal lengths keep their order. Source lengths rise in
/// one group of equal targets and fall in the next, so that a batch across both has little padding, too.
void sort_by_length(std::vector<std::int64_t>& order, const std::vector<Length>& lengths) {
  // One key holds all that is compared: 2^14 targets, 2^14 sources (longer ones are rare enough not to need
  // an order of their own) and the place in `order`, which makes keys unique.
  constexpr std::int64_t longest = (1 << 14) - 1;
  constexpr int place_bits = 36;
  std::vector<std::uint64_t> keys(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto& length = at(lengths, order[place]);
    const auto target = std::min(length.target, longest);
    const auto source = std::min(length.source, longest);
    const auto snaked = target % 2 == 0 ? source : longest - source;
    keys[place] = (static_cast<std::uint64_t>(target << 14 | snaked) << place_bits) | place;
  }
  std::ranges::sort(keys);
  std::vector<std::int64_t> sorted(order.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    sorted[i] = order[keys[i] & ((std::uint64_t{1} << place_bits) - 1)];
  }
  order = std::move(sorted);
}

/// Padded and real tokens of a growing list of sentences.
struct Extent {
  std::int64_t rows = 0;
  Length longest = {0, 0};
  Length real = {0, 0};

  void add(const Length& length) {
    ++rows;
    longest = {std::max(longest.source, length.source), std::max(longest.target, length.target)};
    real = {real.source + length.source, real.target + length.target};
  }
  std::int64_t padded() const { return rows * std::max(longest.source, longest.target); }
  bool reaches(const BatchLimits& limits) const {
    return real.source >= limits.source_tokens || real.target >= limits.target_tokens;
  }
};

/// Cuts the order into batches that hold the micro-batch limit, each ended early where it alone would fill an
/// update.
std::vector<BatchPlan::MicroBatch> cut(const std::vector<std::int64_t>& order,
                                       const std::vector<Length>& lengths, const BatchLimits& limits) {
  std::vector<BatchPlan::MicroBatch> batches;
  Extent extent;
  for (const auto i : order) {
    Extent grown = extent;
    grown.add(at(lengths, i));
    if (batches.empty() || grown.padded() > limits.micro_tokens || extent.reaches(limits)) {
      batches.emplace_back();
      grown = {};
      grown.add(at(lengths, i));
    }
    batches.back().push_back(i);
    extent = grown;
  }
  return batches;
}

Extent extent_of(const BatchPlan::MicroBatch& batch, const std::vector<Length>& lengths) {
  Extent extent;
  for (const auto i : batch) extent.add(at(lengths, i));
  return extent;
}

std::vector<BatchPlan::Update> fill_updates(const std::vector<BatchPlan::MicroBatch>& batches,
                                            const std::vector<Length>& lengths, const BatchLimits& limits) {
  std::vector<BatchPlan::Update> updates;
  BatchPlan::Update open;
  Extent filled;  // what `open` holds
  for (const auto& batch : batches) {
    if (extent_of(batch, lengths).reaches(limits)) {
      updates.push_back({batch});
      continue;
    }
    bool begun = false;  // whether the micro-batch at the end of `open` is this one's
    for (const auto i : batch) {
      if (!begun) open.emplace_back();
      begun = true;
      open.back().push_back(i);
      filled.add(at(lengths, i));
      if (!filled.reaches(limits)) continue;
      updates.push_back(std::exchange(open, {}));
      filled = {};
      begun = false;
    }
  }
  if (!open.empty()) updates.push_back(std::move(open));
  return updates;
}

double padding_of(const std::vector<BatchPlan::Update>& updates, const std::vector<Length>& lengths) {
  std::int64_t real = 0;
  std::int64_t padded = 0;
  for (const auto& update : updates) {
    for (const auto& batch : update) {
      const auto extent = extent_of(batch, lengths);
      real += extent.real.source + extent.real.target;
      padded += extent.rows * (extent.longest.source + extent.longest.target);
    }
  }
  return padded == 0 ? 0.0 : 1.0 - static_cast<double>(real) / static_cast<double>(padded);
}

std::vector<std::int64_t> all_sentences(const Dataset& data) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(data.size()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

Batch make_batch(const Dataset& data, std::span<const std::int64_t> indices) {
  Batch batch;
  batch.rows = std::ssize(indices);
  batch.indices.assign(indices.begin(), indices.end());
  for (const auto i : indices) {
    const std::int64_t source = std::ssize(data.source(i)) + 1;
    const std::int64_t target = std::ssize(data.target(i)) + 1;
    batch.source_length = std::max(batch.source_length, source);
    batch.target_length = std::max(batch.target_length, target);
    batch.source_tokens += source;
    batch.target_tokens += target;
  }
  batch.source.assign(static_cast<std::size_t>(batch.rows * batch.source_length), kPad);
  batch.target_input.assign(static_cast<std::size_t>(batch.rows * batch.target_length), kPad);
  batch.target_output = batch.target_input;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const auto source = data.source(indices[static_cast<std::size_t>(row)]);
    const auto target = data.target(indices[static_cast<std::size_t>(row)]);
    *std::ranges::copy(source, batch.source.begin() + row * batch.source_length).out = kEnd;
    const auto input = batch.target_input.begin() + row * batch.target_length;
    *input = kBegin;
    std::ranges::copy(target, input + 1);
    *std::ranges::copy(target, batch.target_output.begin() + row * batch.target_length).out = kEnd;
  }
  return batch;
}

BatchPlan::BatchPlan(const Dataset& data, const BatchLimits& limits, std::uint64_t seed, std::int64_t epoch) {
  if (limits.source_tokens < 1 || limits.target_tokens < 1 || limits.micro_tokens < 1 || epoch < 0) {
    throw std::invalid_argument("BatchPlan: limits are at least 1 and epochs at least 0");
  }
  // Hashing the seed first keeps (seed, epoch) and (seed + 1, epoch - 1) apart.
  Random random(Random(seed).next() + static_cast<std::uint64_t>(epoch));
  const auto lengths = lengths_of(data);
  auto order = all_sentences(data);
  random.shuffle(order);
  sort_by_length(order, lengths);
  auto batches = cut(order, lengths, limits);
  random.shuffle(batches);
  updates_ = fill_updates(batches, lengths, limits);
  padding_share_ = padding_of(updates_, lengths);
}

std::vector<std::vector<std::int64_t>> sequential_batches(const Dataset& data, std::int64_t micro_tokens) {
  if (micro_tokens < 1) throw std::invalid_argument("sequential_batches: the limit is at least 1");
  const auto lengths = lengths_of(data);
  auto order = all_sentences(data);
  sort_by_length(order, lengths);
  constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();
  return cut(order, lengths, {unlimited, unlimited, micro_tokens});
}

}  // namespace transformer::data
