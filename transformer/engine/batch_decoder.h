// Decodes a batch of sentences on one thread of a CPU, step by step.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "transformer/engine/packed_model.h"
#include "transformer/engine/positions.h"
#include "transformer/search/step.h"

namespace transformer::engine {

class OutputLayer;
class Stack;

/// Where the time goes, in seconds.
struct PhaseTimes {
  double encode = 0.0;   ///< the encoder, and the source's keys and values
  double decoder = 0.0;  ///< the decoder's layers
  double output = 0.0;   ///< the output projection and the choice of the best tokens

  PhaseTimes& operator+=(const PhaseTimes& other);
};

/// The state of a batch's translation, and the memory for it, which is kept from batch to batch.
///
/// Keys and values of each hypothesis's tokens are stored once, in the next free slot, and never move. A
/// hypothesis knows the slots of its tokens. If it is continued in several ways, there are several lists of
/// slots. The rows of a step pass through all layers in groups (kRowsAtOnce), so that activations between
/// layers stay in the CPU's caches.
class BatchDecoder {
 public:
  /// The model must outlive the decoder.
  explicit BatchDecoder(const PackedModel& model);
  ~BatchDecoder();

  const PackedModel& model() const { return model_; }
  const PhaseTimes& times() const { return times_; }

  /// Reads a batch. Each source ends in kEos. Makes room for `beam` hypotheses per sentence and outputs of
  /// the usual length; more is made when needed. Throws InputError for ids outside the vocabulary and for
  /// more tokens than there are learned positions.
  void start(std::span<const std::vector<std::int32_t>> sources, std::int64_t beam);

  /// The `width` best continuations of each row.
  void step(const search::StepRows& rows, std::int64_t width, search::Continuations& best);

  /// The same step. Logits of what follows each row: (rows, vocabulary). They are good until the next call.
  std::span<const float> logits(const search::StepRows& rows);

 private:
  struct EncoderPass;  // rows on their way through the layers: Streams of nn/layer_order.h
  struct StepPass;

  void encode(std::span<const std::vector<std::int32_t>> sources, std::size_t begin, std::size_t end);
  void make_room(std::int64_t rows);
  void extend_histories(const search::StepRows& rows);
  void pass(const search::StepRows& rows,
            const std::function<void(const RoundedRows& states, std::int64_t first)>& use);
  RoundedRows decode_rows(const search::StepRows& rows, std::int64_t begin, std::int64_t end);

  const PackedModel& model_;
  const Shape& shape_;
  std::unique_ptr<Stack> stack_;
  std::unique_ptr<OutputLayer> output_;
  PositionTable source_positions_, target_positions_;
  PhaseTimes times_;

  // A position's keys and values of all layers lie side by side, `stride_` floats from the next position's.
  std::int64_t stride_ = 0;
  kernels::Buffer<float> source_key_values_, self_key_values_;
  std::vector<std::int32_t> places_;   // 0, 1, …: the source's positions by name
  std::vector<std::int64_t> offsets_;  // of the sentences' first positions

  std::int64_t length_ = 0;                                   // steps done
  std::int64_t first_slot_ = 0;                               // of the current step
  std::int64_t slots_ = 0;                                    // used so far
  std::int64_t most_steps_ = 0;                               // that the histories have room for
  std::int64_t last_rows_ = 0;                                // of the last step
  kernels::Buffer<std::int32_t> histories_, next_histories_;  // (rows, most_steps_) slots
  kernels::Buffer<float> logits_;
};

}  // namespace transformer::engine
