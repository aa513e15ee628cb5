#include "transformer/data/batching.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "transformer/base/random.h"
#include "transformer/data/examples.h"
#include "transformer/data/length_order.h"

namespace transformer::data {
namespace {

const Length& at(std::span<const Length> lengths, std::int64_t i) {
  return lengths[static_cast<std::size_t>(i)];
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
    return real.source >= limits.source_tokens || real.target >= limits.target_tokens ||
           (limits.sentences > 0 && rows >= limits.sentences);
  }
};

struct CutBatch {
  BatchPlan::MicroBatch sentences;
  Extent extent;
};

/// Of batches, on both sides.
class Padding {
 public:
  void add(const Extent& batch) {
    real_ += batch.real.source + batch.real.target;
    padded_ += batch.rows * (batch.longest.source + batch.longest.target);
  }
  double share() const {
    return padded_ == 0 ? 0.0 : 1.0 - static_cast<double>(real_) / static_cast<double>(padded_);
  }

 private:
  std::int64_t real_ = 0;
  std::int64_t padded_ = 0;
};

/// Cuts the order into batches that hold the limit of a bucket, each ended early where it alone would fill an
/// update.
std::vector<CutBatch> cut(const std::vector<std::int64_t>& order, std::span<const Length> lengths,
                          const BatchLimits& limits) {
  std::vector<CutBatch> batches;
  for (const auto i : order) {
    const auto& length = at(lengths, i);
    if (!batches.empty() && !batches.back().extent.reaches(limits)) {
      Extent grown = batches.back().extent;
      grown.add(length);
      if (grown.padded() <= limits.bucket_tokens) {
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

/// What the buckets of BatchPlan's comment are held to.
constexpr std::int64_t kWidest = 200;  // thousandths
constexpr double kBatchesInBucket = 16;
constexpr double kMostPadding = 0.05;

/// Batches of shuffled sentences, with the widest buckets that are needed and affordable. `bucketing` says
/// all but their width.
std::vector<CutBatch> cut_mixed(const std::vector<std::int64_t>& shuffled, std::span<const Length> lengths,
                                const BatchLimits& limits, Bucketing bucketing) {
  std::vector<CutBatch> best;
  double affordable = std::numeric_limits<double>::infinity();
  for (; bucketing.width <= kWidest; bucketing.width += 10) {
    const auto order = sort_by_length(shuffled, lengths, bucketing);
    auto batches = cut(order.sentences, lengths, limits);
    Padding padding;
    for (const auto& batch : batches) padding.add(batch.extent);
    if (padding.share() > affordable) break;
    affordable = std::max(padding.share(), kMostPadding);
    best = std::move(batches);
    const double rows = static_cast<double>(shuffled.size()) / static_cast<double>(best.size());
    if (order.mates >= kBatchesInBucket * rows) break;
  }
  return best;
}

/// Updates, and how much of them is padding.
class Filling {
 public:
  Filling(std::span<const Length> lengths, const BatchLimits& limits) : lengths_(lengths), limits_(limits) {}

  void add(const CutBatch& batch) {
    if (batch.extent.reaches(limits_)) {
      updates_.push_back({batch.sentences});
      padding_.add(batch.extent);
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
      padding_.add(std::exchange(piece, {}));
    }
    padding_.add(piece);
  }

  std::vector<BatchPlan::Update> finish() {
    if (!open_.empty()) updates_.push_back(std::move(open_));
    return std::move(updates_);
  }

  double padding_share() const { return padding_.share(); }

 private:
  std::span<const Length> lengths_;
  const BatchLimits& limits_;
  std::vector<BatchPlan::Update> updates_;
  BatchPlan::Update open_;
  Extent filled_;  ///< what open_ holds
  Padding padding_;
};

constexpr auto kUnlimited = std::numeric_limits<std::int64_t>::max();

/// Cuts an order where the padded tokens would exceed a limit, and nowhere else.
std::vector<CutBatch> cut_at(std::int64_t tokens, const std::vector<std::int64_t>& order,
                             std::span<const Length> lengths) {
  return cut(order, lengths, {kUnlimited, kUnlimited, tokens});
}

/// The batches of an update as forward passes take them: BatchPlan's comment.
BatchPlan::Update in_passes(const BatchPlan::Update& batches, std::span<const Length> lengths,
                            const BatchLimits& limits) {
  const auto most = limits.micro_tokens;
  const bool together = most / 2 >= limits.bucket_tokens;
  BatchPlan::Update passes;
  std::int64_t last = 0;  // padded tokens of the last pass
  for (const auto& batch : batches) {
    for (auto& piece : cut_at(most, batch, lengths)) {
      const auto padded = piece.extent.padded();
      if (together && !passes.empty() && last <= most - padded) {
        passes.back().insert(passes.back().end(), piece.sentences.begin(), piece.sentences.end());
        last += padded;
      } else {
        passes.push_back(std::move(piece.sentences));
        last = padded;
      }
    }
  }
  return passes;
}

struct PairOfIds {
  std::optional<std::span<const std::int32_t>> source;
  std::span<const std::int32_t> target;
};

PairOfIds pair_at(const Dataset& data, std::int64_t i) {
  return {data.has_source() ? std::optional(data.source(i)) : std::nullopt, data.target(i)};
}

Tokens<std::int64_t> lengths_of(const PairOfIds& pair) {
  return {pair.source ? std::ssize(*pair.source) + 1 : 0, std::ssize(pair.target) + 1};
}

/// `pair` gives what indices[at] is the number of.
template <typename Pair>
Batch pack(std::span<const std::int64_t> indices, const Pair& pair) {
  Batch batch;
  for (std::size_t at = 0; at < indices.size(); ++at) batch.add(lengths_of(pair(at)));
  batch.indices.assign(indices.begin(), indices.end());
  batch.source.reserve(static_cast<std::size_t>(batch.source_tokens));
  batch.target_input.reserve(static_cast<std::size_t>(batch.target_tokens));
  batch.target_output.reserve(static_cast<std::size_t>(batch.target_tokens));
  const auto append = [](std::vector<std::int64_t>& to, std::span<const std::int32_t> ids) {
    to.insert(to.end(), ids.begin(), ids.end());
  };
  batch.source_offsets.push_back(0);
  batch.target_offsets.push_back(0);
  for (std::size_t at = 0; at < indices.size(); ++at) {
    const auto& [source, target] = pair(at);
    if (source) {
      append(batch.source, *source);
      batch.source.push_back(kEos);
    }
    batch.target_input.push_back(kBos);
    append(batch.target_input, target);
    append(batch.target_output, target);
    batch.target_output.push_back(kEos);
    batch.source_offsets.push_back(std::ssize(batch.source));
    batch.target_offsets.push_back(std::ssize(batch.target_input));
  }
  return batch;
}

}  // namespace

void BatchSize::add(const Tokens<std::int64_t>& lengths) {
  ++rows;
  source_length = std::max(source_length, lengths.source);
  target_length = std::max(target_length, lengths.target);
  source_tokens += lengths.source;
  target_tokens += lengths.target;
}

BatchSize batch_size(const Dataset& data, std::span<const std::int64_t> indices) {
  return StoredExamples(data).size_of(indices);
}

Batch make_batch(const Dataset& data, std::span<const std::int64_t> indices) {
  return pack(indices, [&](std::size_t at) { return pair_at(data, indices[at]); });
}

Batch make_batch(const Sentences& source, const Sentences& target, std::span<const std::int64_t> indices) {
  return pack(indices, [&](std::size_t at) {
    const auto i = static_cast<std::int64_t>(at);
    return PairOfIds{source[i], target[i]};
  });
}

BatchPlan::BatchPlan(std::span<const Length> lengths, const BatchLimits& limits, std::uint64_t seed,
                     std::int64_t epoch, const EpochShares& shares) {
  if (limits.source_tokens < 1 || limits.target_tokens < 1 || limits.bucket_tokens < 1 ||
      limits.micro_tokens < 0 || limits.sentences < 0 || epoch < 0) {
    throw std::invalid_argument(
        "BatchPlan: limits are at least 1 (micro_tokens, sentences: 0 or more) and epochs at least 0");
  }
  // Hashing the seed first keeps (seed, epoch) and (seed + 1, epoch - 1) apart.
  Random random(Random(seed).next() + static_cast<std::uint64_t>(epoch));
  auto sentences = examples_of_epoch(std::ssize(lengths), shares, seed, epoch);
  random.shuffle(sentences);
  Bucketing bucketing{.source_first = epoch % 2 == 1};
  for (auto* start : {&bucketing.start.source, &bucketing.start.target})
    *start = static_cast<std::int64_t>(random.below(1000));
  auto batches = cut_mixed(sentences, lengths, limits, bucketing);
  random.shuffle(batches);
  Filling filling(lengths, limits);
  for (const auto& batch : batches) filling.add(batch);
  updates_ = filling.finish();
  if (limits.micro_tokens > 0)
    for (auto& update : updates_) update = in_passes(update, lengths, limits);
  padding_share_ = filling.padding_share();
}

BatchPlan BatchPlan::sequential(std::span<const Length> lengths, std::int64_t micro_tokens) {
  if (micro_tokens < 1) throw std::invalid_argument("BatchPlan::sequential: the limit is at least 1");
  const auto order = sort_by_length(examples_of_epoch(std::ssize(lengths), {}, 0, 0), lengths, {});
  std::vector<Update> updates;
  Padding padding;
  for (auto& batch : cut_at(micro_tokens, order.sentences, lengths)) {
    padding.add(batch.extent);
    updates.push_back({std::move(batch.sentences)});
  }
  return BatchPlan(std::move(updates), padding.share());
}

std::vector<BatchPlan::MicroBatch> BatchPlan::micro_batches() const {
  std::vector<MicroBatch> all;
  for (const auto& update : updates_) all.insert(all.end(), update.begin(), update.end());
  return all;
}

}  // namespace transformer::data
