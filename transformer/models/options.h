// What defines an encoder-decoder. Free of LibTorch.
#pragma once

#include <cstdint>
#include <optional>

#include "transformer/nn/types.h"
#include "transformer/variants/options.h"

namespace transformer::models {

/// The defaults are the paper's base model (Table 3).
struct ModelOptions {
  std::int64_t encoder_layers = 6;
  std::int64_t decoder_layers = 6;
  std::int64_t d_model = 512;
  std::int64_t d_ff = 2048;
  std::int64_t heads = 8;
  std::int64_t d_k = 64;
  std::int64_t d_v = 64;
  double dropout = 0.1;             ///< on each sublayer's output and on embedding + position (5.4)
  double attention_dropout = 0.0;   ///< on attention weights; the paper has none
  double activation_dropout = 0.0;  ///< after the feed-forward activation; the paper has none
  nn::Positions positions = nn::Positions::interleaved;
  nn::NormPlacement norm = nn::NormPlacement::post;
  nn::Activation activation = nn::Activation::relu;
  bool attention_bias = false;  ///< biases of the four attention projections
  bool output_bias = false;     ///< a bias on the logits; the paper has none
  nn::Tie tie = nn::Tie::all;
  double norm_epsilon = 1e-5;
  std::int64_t max_positions = 346;  ///< of learned positions: the longest sequence in tokens
  variants::Choices variants = {};   ///< parts from outside in the place of the paper's

  bool operator==(const ModelOptions&) const = default;
};

/// The longest sequence that a model with these options can hold, in tokens with its end or begin token. Only
/// learned positions have such a limit.
inline std::optional<std::int64_t> longest_sequence(const ModelOptions& options) {
  if (nn::are_learned_vectors(options.positions) && !options.variants.positions) return options.max_positions;
  return std::nullopt;
}

/// Where a variant stands in such a model.
inline variants::Place place_of(const ModelOptions& o, variants::Role role = variants::Role::encoder) {
  return {.d_model = o.d_model,
          .d_ff = o.d_ff,
          .heads = o.heads,
          .d_k = o.d_k,
          .d_v = o.d_v,
          .attention_dropout = o.attention_dropout,
          .activation_dropout = o.activation_dropout,
          .norm_epsilon = o.norm_epsilon,
          .role = role};
}

/// Numbers of tokens, which the data decide and not the configuration.
struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;

  bool operator==(const VocabularySizes&) const = default;
};

}  // namespace transformer::models
