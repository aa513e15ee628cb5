// Continues texts on a CPU, token by token, by a decoder alone.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "transformer/engine/packed_model.h"
#include "transformer/engine/positions.h"
#include "transformer/search/text_model.h"

namespace transformer::engine {

class Stack;

/// Each text's keys and values of all layers lie in a buffer of its own. The new tokens of all texts that are
/// read together are rows of one pass: a prompt's many tokens, or one token of each of many texts. Logits do
/// not depend on the other texts, to the last bit, nor on how a text's tokens are read, one by one or many at
/// once.
class TextDecoder : public search::TextModel {
 public:
  /// The model must outlive the decoder, which is one thread's; `threads` - 1 others help it, which changes
  /// no bit. Throws InputError, naming model.kind, for one with a source.
  explicit TextDecoder(const PackedModel& model, int threads = 1);
  ~TextDecoder() override;

  /// Also throws InputError for ids that are not in the vocabulary.
  std::span<const float> read(std::span<const Reading> readings) override;
  void fork(std::int64_t from, std::int64_t to) override;
  void forget(std::int64_t text) override;
  std::int64_t vocabulary() const override { return model_.vocabulary().target; }

 private:
  struct Pass;  // rows on their way through the layers: a Stream of nn/layer_order.h

  struct Text {
    kernels::Buffer<float> key_values;  // (positions, stride_)
    std::int64_t length = 0;
  };
  /// A token, and where it stands.
  struct Row {
    Text* text;
    std::int64_t place;
    std::int32_t id;
    std::int64_t wanted;  // which row of the logits follows it, or -1
  };

  void add_rows(const Reading& reading, std::int64_t wanted);
  void pass(std::span<const Row> rows);
  void add_logits(const RoundedRows& states, std::span<const Row> rows);

  const PackedModel& model_;
  const Shape& shape_;
  std::unique_ptr<Stack> stack_;
  PositionTable positions_;
  std::int64_t stride_;  // floats of a position's keys and values in all layers
  std::map<std::int64_t, Text> texts_;
  std::vector<Row> rows_;
  std::vector<RowBias> biases_;           // of a pass
  std::vector<std::int32_t> places_;      // 0, 1, …
  kernels::Buffer<float> row_positions_;  // of a pass
  kernels::Buffer<float> padded_, logits_;
};

}  // namespace transformer::engine
