// Sequences of unlike lengths behind each other, without padding between them.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace transformer::ops {

/// B sequences, N positions in all; the rows offsets[b] … offsets[b + 1] - 1 of a tensor (N, …) are those of
/// sequence b.
struct Sequences {
  torch::Tensor offsets;         ///< (B + 1), 64 bits, on the host
  torch::Tensor device_offsets;  ///< the same in 32 bits on the device
  torch::Tensor places;          ///< (N), 64 bits, on the device: the position of each row in its sequence
  std::int64_t longest = 0;
  /// (N), 64 bits, on the device: the number of each row's example, by which dropout knows it; undefined
  /// where only the host knows them.
  torch::Tensor examples = {};

  std::int64_t size() const { return offsets.size(0) - 1; }  ///< B
  std::int64_t rows() const { return places.size(0); }       ///< N
  const std::int64_t* host_offsets() const { return offsets.const_data_ptr<std::int64_t>(); }

  /// The row of each position among the padded ones, (N), numbers below B · longest, on the device.
  torch::Tensor padded_rows() const;
  /// True at real positions of the padded sequences: (B, 1, 1, longest).
  torch::Tensor padding_mask() const;
};

/// (N, …) → (B, longest, …), zeros where there is nothing, and back.
torch::Tensor pad(const torch::Tensor& x, const Sequences& sequences);
torch::Tensor pack(const torch::Tensor& x, const Sequences& sequences);

/// Which keys a query may attend to.
/// * Padded sequences, (B, T, …): a boolean tensor, broadcastable to (B, H, T, S), is true where a key may be
///   attended to. Undefined: everywhere.
/// * Packed sequences, (N, …): the keys of the query's own sequence. With `causal` only those up to its own
///   position, with a window only those at most so far away.
struct AttentionMask {
  torch::Tensor padded;
  const Sequences *queries = nullptr, *keys = nullptr;  ///< packed, both or none; they outlive the mask
  bool causal = false;                                  ///< of packed ones
  std::int64_t window = 0;                              ///< of packed ones; 0: however far

  AttentionMask() = default;
  AttentionMask(torch::Tensor mask) : padded(std::move(mask)) {}  // NOLINT: a tensor is a mask
  static AttentionMask packed(const Sequences& queries, const Sequences& keys, bool causal);

  bool is_packed() const { return queries != nullptr; }
  /// The tensor: that of packed sequences is for them as pad() lays them out.
  torch::Tensor tensor() const;
};

}  // namespace transformer::ops
