// Section 5.4: residual dropout.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "transformer/ops/sequences.h"

namespace transformer::ops {

/// Sets each element to zero with probability p and scales the others by 1 / (1 - p); the identity unless
/// training. Any shape. On the CPU, in fp32 and bf16, a hash of its row's seed and its number in the row
/// decides (kernels/random_mask.h), at a twentieth of what ATen's Bernoulli sampling costs; a row is the last
/// dimension. Elsewhere LibTorch's generator does. Call it qualified, as ops::dropout: argument-dependent
/// lookup finds at::dropout too.
torch::Tensor dropout(const torch::Tensor& x, double p, bool training);

/// While it lives, this thread's dropouts on the CPU, in fp32 and bf16, have masks that are a function of
/// seed, update, the dropout's number (0 for the first in this scope, and so on: the place in the model), the
/// example and the position: row (b, i, j, …) of a tensor (B, I, J, …, D) takes its seed from examples[b], i,
/// j, … Neither the other examples of a batch nor its padding changes them; so an update may be cut into
/// batches in any way, if each forward pass has a scope of its own. Backward passes need none.
///
/// A tensor with another first dimension than `examples`, or with one dimension alone, is numbered by its own
/// rows: its mask still follows from seed, update and all examples, but depends on the cut. Without a scope
/// each dropout draws a seed from the CPU's default generator (runtime::seed_generators), and rows are
/// numbered.
class DropoutScope {
 public:
  /// examples: (B), the numbers by which the rows of a batch are known, each once in an update.
  DropoutScope(std::uint64_t seed, std::int64_t update, std::vector<std::int64_t> examples);
  ~DropoutScope();
  DropoutScope(const DropoutScope&) = delete;
  DropoutScope& operator=(const DropoutScope&) = delete;

  std::uint64_t next();  ///< the seed of the next dropout
  const std::vector<std::int64_t>& examples() const { return examples_; }

 private:
  std::uint64_t seed_;  ///< of the update
  std::int64_t count_ = 0;
  std::vector<std::int64_t> examples_;
  DropoutScope* before_;
};

/// While it lives, the rows of this thread's tensors (N, …) are the positions of packed sequences: row n has
/// the mask that it would have as position t of example b in a tensor (B, T, …).
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
