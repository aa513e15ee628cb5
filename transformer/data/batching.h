// Batches by token count (section 5.1: "sentence pairs were batched together by approximate sequence length.
// Each training batch contained … approximately 25000 source tokens and 25000 target tokens").
//
// Lengths and tokens count each sentence's end token, on both sides.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transformer/base/special_tokens.h"
#include "transformer/data/dataset.h"
#include "transformer/data/epoch_shares.h"
#include "transformer/data/length_order.h"

namespace transformer::data {

struct BatchSize {
  std::int64_t rows = 0;           ///< B
  std::int64_t source_length = 0;  ///< S: the longest source and its end; 0 in data of one side
  std::int64_t target_length = 0;  ///< T: the longest target and its end (or begin)
  std::int64_t source_tokens = 0;  ///< real ones, without padding
  std::int64_t target_tokens = 0;

  /// One more row, of so many tokens.
  void add(const Tokens<std::int64_t>& lengths);

  /// Of both sides, with padding.
  std::int64_t padded_tokens() const { return rows * (source_length + target_length); }
};

/// The input of one forward pass: sentences packed behind each other, without padding. The offsets, (B + 1),
/// say where each sentence begins and where the last one ends.
struct Batch : BatchSize {
  std::vector<std::int64_t> source;         ///< ids kEos of each sentence; empty in data of one side
  std::vector<std::int64_t> target_input;   ///< kBos ids
  std::vector<std::int64_t> target_output;  ///< ids kEos
  std::vector<std::int64_t> source_offsets, target_offsets;
  std::vector<std::int64_t> indices;  ///< (B) sentence numbers in the data set
};

/// Both throw std::out_of_range for a sentence that the data set does not have.
BatchSize batch_size(const Dataset& data, std::span<const std::int64_t> indices);
Batch make_batch(const Dataset& data, std::span<const std::int64_t> indices);

/// A batch of pairs in memory. Sentence i of both sides is the pair indices[i].
Batch make_batch(const Sentences& source, const Sentences& target, std::span<const std::int64_t> indices);

struct BatchLimits {
  std::int64_t source_tokens = 25000;  ///< real tokens of an update
  std::int64_t target_tokens = 25000;
  /// Padded tokens of the longer side, max(S, T) · B, of sentences of like length that stay together.
  std::int64_t bucket_tokens = 4096;
  /// The same of what one forward pass takes; 0: each bucket is a pass. It does not change which sentences an
  /// update has.
  std::int64_t micro_tokens = 0;
  std::int64_t sentences = 0;  ///< of an update; 0: any number
};

/// The updates of one epoch: a pure function of the sentences' lengths, the limits, the seed, the epoch and
/// the shares.
///
/// The shuffled sentences are sorted by length and cut into batches of bucket_tokens, and these are shuffled.
/// Three things make a sentence meet others in each epoch:
/// * Lengths of one bucket count as equal.
/// * The first bucket's begin is drawn for each epoch.
/// * The sort takes the source length first in one epoch and the target length in the next.
///
/// Buckets are widened until the average sentence's bucket holds 16 batches. They stop at 20 % of a length,
/// and before more than 5 % of all tokens are padding. A large corpus needs no width at all.
///
/// A batch that reaches a limit by itself is an update. Updates are filled from the others in turn. The
/// sentence that reaches a limit closes an update, and the rest of its batch opens the next one. Each
/// sentence occurs exactly once, or as often as the shares say. The epoch's last update may be smaller.
///
/// Only then are updates cut into micro-batches. A batch of more than micro_tokens is cut. If at least two
/// times bucket_tokens fit into a pass, a pass takes as many batches of the update as fit. A sentence longer
/// than micro_tokens is a micro-batch of its own.
class BatchPlan {
 public:
  using MicroBatch = std::vector<std::int64_t>;  ///< sentence numbers
  using Update = std::vector<MicroBatch>;

  /// Throws std::invalid_argument for a limit below 1 (micro_tokens, sentences: below 0) or a negative epoch,
  /// and InputError as examples_of_epoch().
  BatchPlan(std::span<const Length> lengths, const BatchLimits& limits, std::uint64_t seed,
            std::int64_t epoch, const EpochShares& shares = {});

  /// A plan that is made otherwise.
  explicit BatchPlan(std::vector<Update> updates, double padding_share = 0)
      : updates_(std::move(updates)), padding_share_(padding_share) {}

  /// All sentences in micro-batches of at most micro_tokens padded tokens of the longer side, shortest first,
  /// each an update: for evaluation. Throws std::invalid_argument for a limit below 1.
  static BatchPlan sequential(std::span<const Length> lengths, std::int64_t micro_tokens);

  std::int64_t size() const { return static_cast<std::int64_t>(updates_.size()); }  ///< updates in the epoch
  const Update& update(std::int64_t i) const { return updates_.at(static_cast<std::size_t>(i)); }
  std::vector<MicroBatch> micro_batches() const;           ///< of all updates, in their order
  double padding_share() const { return padding_share_; }  ///< of buckets: padding among tokens of both sides

 private:
  std::vector<Update> updates_;
  double padding_share_ = 0;
};

/// Changes with what a BatchPlan makes of equal arguments: a training goes on with the order it began with.
inline constexpr std::int64_t kBatchOrder = 2;

}  // namespace transformer::data
