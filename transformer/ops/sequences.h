// Sequences of unlike lengths behind each other, without padding between them.
#pragma once

#include <torch/types.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace transformer::ops {

/// The length of the longest sequence. What reads it may compute with sizes that follow from it. A process
/// counts that, because such computations are no part of an update's graph, which is for many lengths
/// (train/update_graphs.h).
class LongestLength {
 public:
  LongestLength(std::int64_t length = 0) : length_(length) {}  // NOLINT: it is a length
  operator std::int64_t() const {                              // NOLINT
    ++reads_;
    return length_;
  }
  /// For bounds of it, and for what only throws: uncounted.
  std::int64_t unread() const { return length_; }

  static std::uint64_t reads() { return reads_; }

 private:
  std::int64_t length_;
  inline static std::atomic<std::uint64_t> reads_ = 0;
};

/// B sequences, N positions in all; the rows offsets[b] … offsets[b + 1] - 1 of a tensor (N, …) are those of
/// sequence b.
struct Sequences {
  torch::Tensor offsets;         ///< (B + 1), 64 bits, on the host
  torch::Tensor device_offsets;  ///< the same in 32 bits on the device
  torch::Tensor places;          ///< (N), 64 bits, on the device: the position of each row in its sequence
  LongestLength longest = 0;
  /// (N), 64 bits, on the device: the number of each row's example, by which dropout knows it; undefined
  /// where only the host knows them.
  torch::Tensor examples = {};

  /// At least `longest`, a power of two: from it a device's attention knows how many blocks it needs.
  std::int64_t longest_bound() const;
  /// How many positions a table of them needs: on the CPU longest, elsewhere longest_bound().
  std::int64_t table_length() const;
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
