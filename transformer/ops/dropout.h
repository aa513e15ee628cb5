// Section 5.4: residual dropout.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "transformer/ops/sequences.h"

namespace transformer::ops {

/// Sets each element to zero with probability p and scales the others by 1 / (1 - p); the identity unless
/// training. Any shape. On the CPU, in fp32 and bf16, a hash of the row's seed and the element's number in
/// the row decides (kernels/random_mask.h). It costs a twentieth of ATen's Bernoulli sampling. A row is the
/// last dimension. So it is on a device with own kernels, of packed rows that know their examples, in a
/// DropoutScope (device_mask.h). Elsewhere LibTorch's generator decides. Call it qualified, as ops::dropout,
/// since argument-dependent lookup also finds at::dropout.
torch::Tensor dropout(const torch::Tensor& x, double p, bool training);

/// While it lives, masks of this thread's dropouts, where a hash decides, are a function of five things: the
/// seed, the update, the dropout's number, the example and the position. The dropout's number counts from 0
/// in this scope, so it stands for the place in the model. Row (b, i, j, …) of a tensor (B, I, J, …, D) takes
/// its seed from examples[b], i, j, …
///
/// So neither the other examples of a batch nor its padding changes a mask. An update may be cut into batches
/// in any way, if each forward pass has a scope of its own. Backward passes need none.
///
/// The rows of some tensors are numbered instead: those whose first dimension differs from `examples`, and
/// those with only one dimension. Their masks follow from seed, update and all examples, but depend on the
/// cut. Without a scope each dropout draws a seed from the CPU's default generator
/// (runtime::seed_generators), and rows are numbered.
class DropoutScope {
 public:
  /// examples: (B), numbers of the examples in a batch; each occurs once in an update. device_seed: what own
  /// kernels make their masks from, seed_of(seed, update) as (1), 64 bits, on the device that computes. An
  /// undefined one is copied there when it is needed.
  DropoutScope(std::uint64_t seed, std::int64_t update, std::vector<std::int64_t> examples,
               torch::Tensor device_seed = {});
  ~DropoutScope();
  DropoutScope(const DropoutScope&) = delete;
  DropoutScope& operator=(const DropoutScope&) = delete;

  static std::uint64_t seed_of(std::uint64_t seed, std::int64_t update);
  std::uint64_t next();                                ///< the seed of the next dropout
  std::int64_t take_number() { return count_++; }      ///< that of the next dropout, instead of its seed
  torch::Tensor seed_on(const torch::Device& device);  ///< (1)
  const std::vector<std::int64_t>& examples() const { return examples_; }

 private:
  std::uint64_t seed_;  ///< of the update
  std::int64_t count_ = 0;
  std::vector<std::int64_t> examples_;
  torch::Tensor device_seed_;
  DropoutScope* before_;
};

/// While it lives, rows of this thread's tensors (N, …) are positions of packed sequences. Row n gets the
/// mask that it would have as position t of example b in a tensor (B, T, …).
class PackedRows {
 public:
  explicit PackedRows(const Sequences& sequences);
  ~PackedRows();
  PackedRows(const PackedRows&) = delete;
  PackedRows& operator=(const PackedRows&) = delete;

 private:
  const Sequences* before_;
};

}  // namespace transformer::ops
