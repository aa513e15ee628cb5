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

/// Tokens of both sides.
template <typename Integer>
struct Tokens {
  Integer source;
  Integer target;
};

/// Of a sentence. Small, because lengths are looked up in the order of a shuffle.
using Length = Tokens<std::int32_t>;

/// With the end tokens. (No memory holds the batch of a sentence that this takes for a shorter one.)
std::vector<Length> lengths_of(const Dataset& data) {
  const auto length = [](std::span<const std::int32_t> sentence) {
    constexpr std::size_t longest = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min(sentence.size() + 1, longest));
  };
  std::vector<Length> lengths(static_cast<std::size_t>(data.size()));
  for (std::int64_t i = 0; i < data.size(); ++i)
    lengths[static_cast<std::size_t>(i)] = {length(data.source(i)), length(data.target(i))};
  return lengths;
}

const Length& at(const std::vector<Length>& lengths, std::int64_t i) {
  return lengths[static_cast<std::size_t>(i)];
}

/// Sorts by a key from 0 … keys - 1; what has equal keys keeps its order.
template <typename Key>
void sort_by(std::vector<std::int64_t>& order, std::size_t keys, Key key) {
  std::vector<std::size_t> places(keys + 1);
  for (const auto i : order) ++places[key(i) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<std::int64_t> sorted(order.size());
  for (const auto i : order) sorted[places[key(i)]++] = i;
  order = std::move(sorted);
}

/// Sorts by target, then source length; sentences of equal lengths keep their order. Source lengths rise in
/// one group of equal targets and fall in the next, so that a batch across both has little padding, too.
void sort_by_length(std::vector<std::int64_t>& order, const std::vector<Length>& lengths) {
  constexpr std::int32_t longest = (1 << 14) - 1;  // longer ones are rare enough not to need an order
  const auto target = [&](std::int64_t i) { return std::min(at(lengths, i).target, longest); };
  const auto source = [&](std::int64_t i) {
    const auto length = std::min(at(lengths, i).source, longest);
    return static_cast<std::size_t>(target(i) % 2 == 0 ? length : longest - length);
  };
  sort_by(order, longest + 1, source);
  sort_by(order, longest + 1, [&](std::int64_t i) { return static_cast<std::size_t>(target(i)); });
}

/// Padded and real tokens of a growing list of sentences.
struct Extent {
  std::int64_t rows = 0;
  Tokens<std::int64_t> longest = {0, 0};
  Tokens<std::int64_t> real = {0, 0};

  void add(const Length& length) {
    ++rows;
    longest = {std::max<std::int64_t>(longest.source, length.source),
               std::max<std::int64_t>(longest.target, length.target)};
    real = {real.source + length.source, real.target + length.target};
  }
  std::int64_t padded() const { return rows * std::max(longest.source, longest.target); }
  bool reaches(const BatchLimits& limits) const {
    return real.source >= limits.source_tokens || real.target >= limits.target_tokens;
  }
};

struct CutBatch {
  BatchPlan::MicroBatch sentences;
  Extent extent;
};

/// Cuts the order into batches that hold the micro-batch limit, each ended early where it alone would fill an
/// update.
std::vector<CutBatch> cut(const std::vector<std::int64_t>& order, const std::vector<Length>& lengths,
                          const BatchLimits& limits) {
  std::vector<CutBatch> batches;
  for (const auto i : order) {
    const auto& length = at(lengths, i);
    if (!batches.empty() && !batches.back().extent.reaches(limits)) {
      Extent grown = batches.back().extent;
      grown.add(length);
      if (grown.padded() <= limits.micro_tokens) {
        batches.back().sentences.push_back(i);
        batches.back().extent = grown;
        continue;
      }
    }
    batches.push_back({{i}, {}});
    batches.back().extent.add(length);
  }
  return batches;
}

/// Updates, and how much of them is padding.
class Filling {
 public:
  Filling(const std::vector<Length>& lengths, const BatchLimits& limits)
      : lengths_(lengths), limits_(limits) {}

  void add(const CutBatch& batch) {
    if (batch.extent.reaches(limits_)) {
      updates_.push_back({batch.sentences});
      count(batch.extent);
      return;
    }
    Extent piece;  // the micro-batch at the end of open_ that is this one's
    for (const auto i : batch.sentences) {
      if (piece.rows == 0) open_.emplace_back();
      open_.back().push_back(i);
      piece.add(at(lengths_, i));
      filled_.add(at(lengths_, i));
      if (!filled_.reaches(limits_)) continue;
      updates_.push_back(std::exchange(open_, {}));
      filled_ = {};
      count(std::exchange(piece, {}));
    }
    count(piece);
  }

  std::vector<BatchPlan::Update> finish() {
    if (!open_.empty()) updates_.push_back(std::move(open_));
    return std::move(updates_);
  }

  double padding_share() const {
    return padded_ == 0 ? 0.0 : 1.0 - static_cast<double>(real_) / static_cast<double>(padded_);
  }

 private:
  void count(const Extent& extent) {
    real_ += extent.real.source + extent.real.target;
    padded_ += extent.rows * (extent.longest.source + extent.longest.target);
  }

  const std::vector<Length>& lengths_;
  const BatchLimits& limits_;
  std::vector<BatchPlan::Update> updates_;
  BatchPlan::Update open_;
  Extent filled_;  ///< what open_ holds
  std::int64_t real_ = 0;
  std::int64_t padded_ = 0;
};

std::vector<std::int64_t> all_sentences(const Dataset& data) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(data.size()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

BatchSize batch_size(const Dataset& data, std::span<const std::int64_t> indices) {
  BatchSize size{.rows = std::ssize(indices)};
  for (const auto i : indices) {
    const std::int64_t source = std::ssize(data.source(i)) + 1;
    const std::int64_t target = std::ssize(data.target(i)) + 1;
    size.source_length = std::max(size.source_length, source);
    size.target_length = std::max(size.target_length, target);
    size.source_tokens += source;
    size.target_tokens += target;
  }
  return size;
}

Batch make_batch(const Dataset& data, std::span<const std::int64_t> indices) {
  Batch batch;
  static_cast<BatchSize&>(batch) = batch_size(data, indices);
  batch.indices.assign(indices.begin(), indices.end());
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
  Filling filling(lengths, limits);
  for (const auto& batch : batches) filling.add(batch);
  updates_ = filling.finish();
  padding_share_ = filling.padding_share();
}

std::vector<std::vector<std::int64_t>> sequential_batches(const Dataset& data, std::int64_t micro_tokens) {
  if (micro_tokens < 1) throw std::invalid_argument("sequential_batches: the limit is at least 1");
  const auto lengths = lengths_of(data);
  auto order = all_sentences(data);
  sort_by_length(order, lengths);
  constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();
  std::vector<BatchPlan::MicroBatch> batches;
  for (auto& batch : cut(order, lengths, {unlimited, unlimited, micro_tokens}))
    batches.push_back(std::move(batch.sentences));
  return batches;
}

}  // namespace transformer::data
