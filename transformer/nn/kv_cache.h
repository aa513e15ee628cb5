// A decoder's memory between steps: plain values, passed explicitly.
#pragma once

#include <torch/types.h>

#include <vector>

namespace transformer::nn {

/// Projected keys (B, H, S, K) and values (B, H, S, V).
struct KeyValue {
  torch::Tensor keys;
  torch::Tensor values;

  /// Adds later positions along S.
  void append(const KeyValue& later);
  /// Keeps the given rows of B, in that order (a row may come several times). Nothing where it is empty.
  void select(const torch::Tensor& rows);
};

/// One decoder layer's keys and values. `self` has a row for each hypothesis, (B·W, …); `source` has one for
/// each sentence and is shared by that sentence's W hypotheses, which stand next to each other in `self`. A
/// decoder without a source has none.
struct LayerCache {
  KeyValue self;
  KeyValue source;
};

/// The state of a decoder that has read `length` target positions.
struct DecoderCache {
  std::vector<LayerCache> layers;
  torch::Tensor source_mask;  ///< (sentences, 1, 1, S)
  std::int64_t length = 0;
  torch::Tensor position;  ///< () the length as data (in a trace a number is a constant); or undefined

  std::int64_t sentences() const { return source_mask.size(0); }

  /// Keeps the given hypotheses, for instance the survivors of a beam. rows: (R) indices.
  void select_hypotheses(const torch::Tensor& rows);
  /// Keeps the given sentences. rows: indices of sentences; the hypotheses are selected separately.
  void select_sentences(const torch::Tensor& rows);
};

}  // namespace transformer::nn
