// The tensors that are trained in a model of the paper's parts, from its options alone. Free of LibTorch.
//
// A forward pass has these parts, in this order, counted from 0; their backward passes follow one another in
// the opposite order:
//     the source embedding,
//     of each of the E encoder layers   self-attention, feed-forward layer,
//     the target embedding,
//     of each of the D decoder layers   self-attention, cross-attention, feed-forward layer,
//     the output projection with the loss: number 2 + 2 E + 3 D.
#pragma once

#include <cstdint>
#include <vector>

#include "transformer/models/options.h"

namespace transformer::models {

struct TrainedTensor {
  std::int64_t numbers = 0;
  std::int64_t part = 0;  ///< the first that reads it, whose backward pass is the last to add to its gradient
};

/// In the order of the model's parameters(). The options are those of which update_time.h predicts a time.
std::vector<TrainedTensor> trained_tensors(const ModelOptions& options, const VocabularySizes& vocabulary);

}  // namespace transformer::models
