// What the engine knows of positions (section 3.5).
#pragma once

#include <cstdint>

#include "transformer/engine/packed_model.h"

namespace transformer::engine {

/// Floats for one position: the padded width of an embedding if vectors are added to it; the d_k cosines and
/// d_k sines of kernels::Rotation for rotary positions; none for a bias of scores.
std::int64_t position_width(const models::ModelOptions& options);

/// Positions 0 … length - 1 of those that are computed. → (length, position_width)
VectorTable computed_positions(const models::ModelOptions& options, std::int64_t length);

/// The positions 0, 1, …: the model's, and further ones, which are computed as far as needed. One thread's.
class PositionTable {
 public:
  /// known: of that model, as is the position width.
  PositionTable(const PackedModel& model, const VectorTable& known) : model_(model), known_(known) {}

  /// (length, position_width). Throws InputError when learned positions are too few.
  const float* reach(std::int64_t length);

 private:
  const PackedModel& model_;
  const VectorTable& known_;
  VectorTable further_;
};

/// A bias on the scores of one query. For head h and the i-th key it is first[h · stride + i]. Null: no bias.
struct RowBias {
  const float* first = nullptr;
  std::int64_t stride = 0;

  /// The same of the keys from this one.
  RowBias from(std::int64_t key) const { return {first == nullptr ? nullptr : first + key, stride}; }
};

/// The bias that self-attention's scores get by distances, if positions enter there: as
/// nn::RelativePositions. One thread's.
class BiasTable {
 public:
  /// buckets: (buckets, heads), the learned biases, or empty. both_sides: of an encoder. Options and buckets
  /// must outlive the table.
  BiasTable(const models::ModelOptions& options, const kernels::Buffer<float>& buckets, bool both_sides)
      : options_(options), buckets_(buckets), both_sides_(both_sides) {}

  /// Of a query that stands at `place` among the keys 0 … count - 1. Good until a call that reaches farther.
  RowBias at(std::int64_t place, std::int64_t count);

 private:
  void reach(std::int64_t distance);
  /// Of a key so far behind its query.
  float bias_of(std::int64_t head, std::int64_t distance) const;

  const models::ModelOptions& options_;
  const kernels::Buffer<float>& buckets_;
  bool both_sides_;
  std::int64_t farthest_ = -1;
  kernels::Buffer<float> values_;  // (heads, 2 · farthest_ + 1): by the key's place less the query's
};

}  // namespace transformer::engine
