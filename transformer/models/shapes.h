// Section 3.1: what a model's tensors look like on their way, for who reads the architecture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transformer/models/encoder_decoder.h"

namespace transformer::models {

/// A tensor on the way through a model.
struct Shape {
  std::string name;  ///< of the module that gives it, as in a checkpoint, and which of its tensors
  std::vector<std::int64_t> sizes;  ///< batch first
};

/// The shapes for one pair of sentences, in the order of computation. The model runs part by part, in
/// evaluation mode. For the first layer of each stack all inner shapes are listed, for the others only the
/// result. The inside of a variant of attention or of a feed-forward network is not listed. source_tokens
/// counts the end token, target_tokens the begin token. Both are positive and at most the number of learned
/// positions.
std::vector<Shape> shapes_of(EncoderDecoder& model, std::int64_t source_tokens, std::int64_t target_tokens);

}  // namespace transformer::models
