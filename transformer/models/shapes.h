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

/// Those of one pair of sentences, in the order in which they are computed: the model is run part by part, as
/// in evaluation. Of each stack the first layer is shown from within, of the others the result. What a
/// variant in the place of attention or of a feed-forward network computes inside is its own affair.
/// source_tokens: with the end token; target_tokens: with the begin token; both positive, and at most as many
/// as learned positions.
std::vector<Shape> shapes_of(EncoderDecoder& model, std::int64_t source_tokens, std::int64_t target_tokens);

}  // namespace transformer::models
