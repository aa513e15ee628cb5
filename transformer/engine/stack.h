// Rows of activations on their way through a stack of layers, for the engine's encoder and decoder.
#pragma once

#include <span>

#include "transformer/engine/packed_model.h"
#include "transformer/engine/positions.h"
#include "transformer/engine/team.h"
#include "transformer/kernels/gate.h"
#include "transformer/kernels/residual_norm.h"
#include "transformer/kernels/rotation.h"
#include "transformer/kernels/row_attention.h"

namespace transformer::engine {

/// Keys and values: row i's keys are at `rows` + i · stride, its values `Shape::key_width` behind them.
struct KeyValues {
  const float* rows = nullptr;
  std::int64_t stride = 0;
};

/// Queries or keys of several rows: (rows, stride). Each row begins with (heads, Shape::key_size).
struct HeadRows {
  float* data = nullptr;
  std::int64_t rows = 0, stride = 0, heads = 0;
};

/// Heads of keys and values, with the queries that read them: from first to before end.
using Heads = Share;

/// The result of a sublayer: it lies in the stack, beside the activations.
struct SublayerResult {};

/// The activations of at most some hundred rows, and what it takes to bring them through a layer: what a
/// Stream of nn/layer_order.h needs but for attention itself. One thread's, which `threads` - 1 others help.
class Stack {
 public:
  explicit Stack(const PackedModel& model, int threads = 1);

  /// Starts again with this number of rows, of the encoder or of the decoder, which the caller embeds.
  void begin(std::int64_t rows, bool source = false);

  /// Section 3.4 and 3.5: row `row` becomes an embedding, plus a position if positions enter there.
  void embed(std::int64_t row, const VectorTable& table, std::int32_t id, const float* position);

  /// Ends the embedding of all rows (model.embedding_norm).
  void norm_embeddings();

  /// What a sublayer reads: the activations, or their normalisation.
  RoundedRows value();
  RoundedRows normed(const PackedNorm& norm);

  /// Ends a residual connection.
  void add(SublayerResult, const PackedNorm&) { pending_ = true; }  // the next norm adds it in passing
  void add_and_norm(SublayerResult, const PackedNorm& norm);

  /// f(x Wᵀ + b) of a layer, into rows of `stride` floats, by the whole team.
  void multiply(const PackedLinear& layer, const RoundedRows& x, float* y, std::int64_t stride,
                std::optional<nn::Activation> activation = {}) {
    multiply(layer, layer.all(), x, y, stride, activation);
  }

  /// Some of its channels.
  void multiply(const PackedLinear& layer, const Panels& panels, const RoundedRows& x, float* y,
                std::int64_t stride, std::optional<nn::Activation> activation = {});

  /// Where a projection of `width` columns may be put.
  float* projected(std::int64_t width);

  /// Normalises queries or keys; weight: of PackedHeadNorms, empty: they stay as they are.
  void normalise_heads(const kernels::Buffer<float>& weight, const HeadRows& vectors);

  /// Turns queries or keys if positions are rotary. positions: (rows, position_stride), a stride of 0: of all
  /// rows.
  void turn(const HeadRows& vectors, const float* positions, std::int64_t position_stride);

  /// The bias on the scores of a self-attention query at `place` among `count` keys.
  RowBias bias(std::int64_t place, std::int64_t count) {
    return (source_ ? source_bias_ : target_bias_).at(place, count);
  }

  /// One row's attention over the rows that are named. query: (query_width)
  void attend(std::int64_t row, const float* query, const KeyValues& key_values,
              std::span<const std::int32_t> rows, const RowBias& bias = {}) {
    attend(row, query, key_values, rows, bias, {shape_.kv_heads, 0, 1}, 0);
  }

  /// The same for some heads, by a member of the team.
  void attend(std::int64_t row, const float* query, const KeyValues& key_values,
              std::span<const std::int32_t> rows, const RowBias& bias, const Heads& heads, int member);

  /// The output projection of what was attended to.
  SublayerResult project(const PackedLinear& output);

  /// Section 3.3.
  SublayerResult feed_forward(const PackedFeedForward& network, const RoundedRows& y);

  Team& team() { return team_; }

 private:
  void normalise(const PackedNorm& norm, const float* z, float* sum, float* y);

  const PackedModel& model_;
  const Shape& shape_;
  const kernels::LinearKernels& linear_;
  const kernels::ResidualNormKernels& residual_norm_;
  const kernels::RowAttentionKernels& attention_;
  const kernels::RotationKernels& rotation_;
  const kernels::GateKernels& gating_;
  nn::Gate gate_;
  nn::PositionsEnter positions_enter_;
  BiasTable source_bias_, target_bias_;
  Rounder round_;
  std::int64_t rows_ = 0;
  bool source_ = false;
  kernels::Buffer<float> x_, normal_, z_, projected_, attended_, inner_, gates_;
  std::vector<kernels::Buffer<float>> scores_;  // of each member
  Team team_;
  bool pending_ = false;  // pre-norm: z is still to be added to x
};

/// Rows on their way through the layers: what a Stream of nn/layer_order.h needs but for attention.
struct StackStream {
  Stack& stack;

  RoundedRows value() { return stack.value(); }
  RoundedRows normed(const PackedNorm& norm) { return stack.normed(norm); }
  void add(SublayerResult z, const PackedNorm& norm) { stack.add(z, norm); }
  void add_and_norm(SublayerResult z, const PackedNorm& norm) { stack.add_and_norm(z, norm); }
  SublayerResult feed_forward(const PackedFeedForward& network, const RoundedRows& y) {
    return stack.feed_forward(network, y);
  }
};

/// The keys in reach of a query of self-attention: the first one and their number.
struct Reach {
  std::int64_t first;
  std::size_t count;
};

/// Of the query at `place` among so many keys (model.attention_window).
Reach reach_of(const models::ModelOptions& options, std::int64_t place, std::int64_t length);

/// Floats from a position's keys and values, of all decoder layers side by side, to the next position's.
std::int64_t key_value_stride(const PackedModel& model);

}  // namespace transformer::engine
