// Texts, after their sources or alone, as batches of tensors, for a decoder that reads whole texts at once
// (teacher forcing).
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transformer/base/special_tokens.h"
#include "transformer/data/examples.h"

namespace transformer::translation {

/// A sentence and its translation as ids, without begin and end. A language model's text is a target alone.
struct ForcedPair {
  std::vector<std::int32_t> source = {};
  std::vector<std::int32_t> target = {};
  /// The token before the target, and the last one that is predicted. In a block of a stream both are tokens
  /// of the stream (data/blocks.h).
  std::int32_t first = kBos;
  std::int32_t last = kEos;
};

std::vector<ForcedPair> forced_pairs(const data::ExampleSource& examples);

/// Positions that both sides of a pair take at most: each has one token more than its sentence.
std::size_t forced_width(const ForcedPair& pair);

/// Indices of pairs, longest first, cut so that a batch has at most `batch_tokens` padded tokens of either
/// side; a longer pair stands alone.
std::vector<std::vector<std::size_t>> forced_batches(std::span<const ForcedPair> pairs,
                                                     std::int64_t batch_tokens);

struct ForcedTensors {
  torch::Tensor source;  ///< (B, S), rows end in kEos and are padded behind it
  torch::Tensor input;   ///< (B, T), rows begin with ForcedPair::first and are padded
};

/// The pairs with these indices, on the CPU.
ForcedTensors forced_tensors(std::span<const ForcedPair> pairs, std::span<const std::size_t> batch);

}  // namespace transformer::translation
