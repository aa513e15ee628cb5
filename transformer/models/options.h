// What defines a model. Free of LibTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transformer/nn/types.h"
#include "transformer/variants/options.h"

namespace transformer::models {

/// The kind that is ours, in configurations.
inline constexpr const char* kEncoderDecoder = "encoder-decoder";

/// The defaults are the paper's base model (Table 3).
struct ModelOptions {
  variants::Choice kind =
      {};  ///< one from outside, which reads some of what follows; none: the encoder-decoder
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
  nn::NormKind norm_type = nn::NormKind::layer;
  bool residual = true;             ///< false: a sublayer's result takes the place of what it read
  bool parallel_sublayers = false;  ///< a layer's sublayers stand beside each other
  nn::FeedForwardKind feed_forward = nn::FeedForwardKind::positionwise;
  nn::Activation activation = nn::Activation::relu;  ///< of feed-forward layers without a gate
  bool attention_scale = true;                       ///< scores are divided by √d_k (3.2.1)
  nn::AttentionScore attention_score = nn::AttentionScore::product;
  std::int64_t attention_window = 0;  ///< positions to each side: (r - 1) / 2 of section 4; 0: not restricted
  std::int64_t kv_heads = 0;          ///< heads of keys and values, a divisor of heads; 0: as many as heads
  bool qk_norm = false;               ///< each head's queries and keys are normalised
  bool attention_bias = false;        ///< biases of the four attention projections
  bool output_bias = false;           ///< a bias on the logits; the paper has none
  nn::Tie tie = nn::Tie::all;
  double norm_epsilon = 1e-5;
  std::int64_t max_positions = 346;     ///< of learned positions: the longest sequence in tokens
  std::int64_t relative_distance = 16;  ///< of relative positions: larger distances are as this one
  variants::Choices variants = {};      ///< parts from outside in the place of the paper's

  bool operator==(const ModelOptions&) const = default;
};

/// Its name.
inline std::string kind_of(const ModelOptions& options) {
  return options.kind ? options.kind.name : std::string(kEncoderDecoder);
}

/// The longest sequence that a model with these options can hold, in tokens with its end or begin token. Only
/// learned positions have such a limit.
inline std::optional<std::int64_t> longest_sequence(const ModelOptions& options) {
  if (nn::are_learned_vectors(options.positions) && !options.variants.positions) return options.max_positions;
  return std::nullopt;
}

/// Heads of keys and values.
inline std::int64_t kv_heads_of(const ModelOptions& o) {
  return o.kv_heads == 0 ? o.heads : o.kv_heads;
}

/// The first option by which attention computes something else than the paper's, with or without its scale,
/// or nothing: as other_layers().
inline std::optional<std::string> other_attention(const ModelOptions& o) {
  if (o.kind) return "model.kind: " + o.kind.name;
  if (nn::are_relative_vectors(o.positions))
    return std::string("model.positions: ") + nn::name_of(o.positions);
  if (!nn::is_product(o.attention_score))
    return std::string("model.attention_score: ") + nn::name_of(o.attention_score);
  if (o.attention_window > 0) return "model.attention_window: " + std::to_string(o.attention_window);
  if (kv_heads_of(o) != o.heads) return "model.kv_heads: " + std::to_string(o.kv_heads);
  if (o.qk_norm) return "model.qk_norm: true";
  return std::nullopt;
}

/// The first option by which a layer has other parts than the paper's, in another order or with another
/// attention, as a configuration has it, or nothing. Pre-norm is none of them. For whoever knows only those
/// parts and declines others by name.
inline std::optional<std::string> other_layers(const ModelOptions& o) {
  if (o.kind) return "model.kind: " + o.kind.name;
  if (nn::is_gate(nn::gate_of(o.feed_forward)))
    return std::string("model.feed_forward: ") + nn::name_of(o.feed_forward);
  if (nn::norm_comes_twice(o.norm)) return std::string("model.norm: ") + nn::name_of(o.norm);
  if (!nn::is_layer_norm(o.norm_type)) return std::string("model.norm_type: ") + nn::name_of(o.norm_type);
  if (!o.residual) return "model.residual: false";
  if (o.parallel_sublayers) return "model.parallel_sublayers: true";
  if (!nn::exists(o.feed_forward)) return std::string("model.feed_forward: ") + nn::name_of(o.feed_forward);
  return other_attention(o);
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

/// An option that has not its default and is none of these nor a size or `dropout`, which everyone knows; or
/// nothing. Who computes a model by other ways than its modules lists the options that it computes or has
/// declined, so that it also declines one that is newer than itself.
template <typename... Values>
std::optional<std::string> newer_option(const ModelOptions& given, Values ModelOptions::*... known) {
  const ModelOptions usual;
  ModelOptions options = given;
  const auto forget = [&](auto... members) { ((options.*members = usual.*members), ...); };
  using O = ModelOptions;
  forget(&O::encoder_layers, &O::decoder_layers, &O::d_model, &O::d_ff, &O::heads, &O::d_k, &O::d_v,
         &O::dropout);
  forget(known...);
  if (options == usual) return std::nullopt;
  return "an option of the model that is newer";
}

/// Numbers of tokens, which the data decide and not the configuration.
struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;

  bool operator==(const VocabularySizes&) const = default;
};

}  // namespace transformer::models
