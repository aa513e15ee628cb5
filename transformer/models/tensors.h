// The table of a model's tensors, from its options alone, where its layers are the paper's: names, shapes,
// the part that each belongs to. Counts, predictions of a gradient exchange and the engine's packing read it,
// and tests/options holds the modules to it. Free of LibTorch.
//
// A forward pass has these steps, counted from 0. Their backward passes follow in the opposite order.
//     the source embedding,
//     in each of the E encoder layers   self-attention, feed-forward layer,
//     the target embedding,
//     in each of the D decoder layers   self-attention, cross-attention, feed-forward layer,
//     the output projection with the loss: number 2 + 2 E + 3 D.
// A decoder alone has neither a source nor cross-attention: its output projection is number 1 + 2 D. That of
// an encoder alone, or its head, is number 1 + 2 E.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transformer/models/options.h"

namespace transformer::models {

/// What reports count apart.
enum class ModelPart {
  embeddings,         ///< source and target, or the one that they share
  output_projection,  ///< where it is no embedding, and its bias where it has one
  positions,          ///< learned vectors or biases, of both sides
  encoder_self_attention,
  encoder_feed_forward,
  encoder_norms,
  decoder_self_attention,
  decoder_cross_attention,
  decoder_feed_forward,
  decoder_norms,
  whole,  ///< all of a model of another kind, whose parts are its own affair
};

constexpr const char* name_of(ModelPart part) {
  switch (part) {
    case ModelPart::embeddings:
      return "embeddings";
    case ModelPart::output_projection:
      return "output_projection";
    case ModelPart::positions:
      return "positions";
    case ModelPart::encoder_self_attention:
      return "encoder_self_attention";
    case ModelPart::encoder_feed_forward:
      return "encoder_feed_forward";
    case ModelPart::encoder_norms:
      return "encoder_norms";
    case ModelPart::decoder_self_attention:
      return "decoder_self_attention";
    case ModelPart::decoder_cross_attention:
      return "decoder_cross_attention";
    case ModelPart::decoder_feed_forward:
      return "decoder_feed_forward";
    case ModelPart::decoder_norms:
      return "decoder_norms";
    case ModelPart::whole:
      return "whole";
  }
  no_such_choice();
}

struct TensorInfo {
  std::string name = {};  ///< as in model.safetensors
  std::vector<std::int64_t> shape = {};
  ModelPart part = ModelPart::embeddings;
  std::int64_t step = 0;   ///< the first step that reads it; its backward pass completes the gradient
  bool is_trained = true;  ///< false: statistics of a norm, which training measures (nn::statistics_of)
  /// A variant from outside: the row stands for all tensors below that name, and the shape is their number.
  bool is_variant = false;

  std::int64_t numbers() const;
};

/// In the order of the model's parameters(). For options with a stack of the paper's (stacks_of). Throws
/// InputError, naming the key, for a variant that is not known.
std::vector<TensorInfo> tensors_of(const ModelOptions& options, const VocabularySizes& vocabulary);

}  // namespace transformer::models
