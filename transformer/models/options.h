// What defines a model. Free of LibTorch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>

#include "transformer/base/special_tokens.h"
#include "transformer/nn/types.h"
#include "transformer/variants/options.h"

namespace transformer::models {

/// The kind that has no name of its own here: the paper's.
inline constexpr const char* kEncoderDecoder = "encoder-decoder";

/// Its decoder alone, without a source: a language model.
inline constexpr const char* kDecoder = "decoder";

/// Its encoder alone, without a target: BERT.
inline constexpr const char* kEncoder = "encoder";

/// What an encoder alone predicts from its states.
enum class Head {
  none,     ///< the tokens that masks hide
  classes,  ///< a label of the whole text
  number,   ///< the same where it is a number
  words,    ///< a label of each word
  span,     ///< where an answer begins and ends
};

constexpr const char* name_of(Head head) {
  switch (head) {
    case Head::none:
      return "none";
    case Head::classes:
      return "classes";
    case Head::number:
      return "number";
    case Head::words:
      return "words";
    case Head::span:
      return "span";
  }
  no_such_choice();
}

/// What stands for a whole text.
enum class Pooling {
  cls,   ///< the state of its first token, kBos
  mean,  ///< the mean of all of its states
};

constexpr const char* name_of(Pooling pooling) {
  switch (pooling) {
    case Pooling::cls:
      return "cls";
    case Pooling::mean:
      return "mean";
  }
  no_such_choice();
}

/// Whether it reads one vector a text, with a layer between the two (BERT's pooler).
constexpr bool is_of_texts(Head head) {
  switch (head) {
    case Head::classes:
    case Head::number:
      return true;
    case Head::none:
    case Head::words:
    case Head::span:
      return false;
  }
  no_such_choice();
}

/// What an encoder alone may have besides; no other kind has it.
struct EncoderOptions {
  Head head = Head::none;
  std::int64_t embedding_size = 0;  ///< of embeddings, with a linear layer to d_model behind; 0: d_model
  bool output_transform = false;    ///< a layer with GELU and a norm in front of the output projection
  std::int64_t segments = 0;  ///< learned vectors: one for each part of a text, parts end in kEos; 0: none
  Pooling pooling = Pooling::cls;  ///< what a head of whole texts reads

  bool operator==(const EncoderOptions&) const = default;
};

/// Their keys.
inline constexpr std::array<const char*, 5> kEncoderKeys{
    "model.head", "model.pooling", "model.embedding_size", "model.output_transform", "model.segments"};

/// The defaults are the paper's base model (Table 3).
struct ModelOptions {
  variants::Choice kind = {};  ///< another one, which reads some of what follows; none: the encoder-decoder
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
  std::int64_t attention_window = 0;  ///< (r - 1) / 2 of section 4: positions to each side; 0: all
  std::int64_t kv_heads = 0;          ///< heads of keys and values, a divisor of heads; 0: heads
  bool qk_norm = false;               ///< each head's queries and keys are normalised
  bool attention_bias = false;        ///< biases of the four attention projections
  bool output_bias = false;           ///< a bias on the logits; the paper has none
  nn::Tie tie = nn::Tie::all;
  bool scale_embedding = true;  ///< embeddings are multiplied by √d_model (3.4)
  bool embedding_norm = false;  ///< each stack normalises its sum of embeddings and positions
  bool source_end = true;       ///< the source's end token is read; false: nothing attends to it
  double norm_epsilon = 1e-5;
  double rotary_base = 10000;  ///< of rotary positions: pair i of K / 2 turns by position · base^(-2i / K)
  std::int64_t max_positions = 346;     ///< of learned positions: the longest sequence in tokens
  std::int64_t relative_distance = 16;  ///< of relative positions: larger distances count as this one
  EncoderOptions encoder = {};          ///< of an encoder alone
  variants::Choices variants = {};      ///< parts from outside that replace the paper's

  bool operator==(const ModelOptions&) const = default;
};

/// Its name.
inline std::string kind_of(const ModelOptions& options) {
  return options.kind ? options.kind.name : std::string(kEncoderDecoder);
}

/// Which of the paper's stacks a model has. Their options mean the same in each kind that has one. A kind
/// with neither has layers of its own.
struct Stacks {
  bool encoder = false;
  bool decoder = false;

  bool any() const { return encoder || decoder; }
};

inline Stacks stacks_of(const ModelOptions& options) {
  if (!options.kind) return {.encoder = true, .decoder = true};
  if (options.kind.name == kDecoder) return {.decoder = true};
  if (options.kind.name == kEncoder) return {.encoder = true};
  return {};
}

/// The longest sequence that a model with these options can hold, in tokens with its end or begin token. Only
/// learned positions have such a limit.
inline std::optional<std::int64_t> longest_sequence(const ModelOptions& options) {
  if (nn::are_learned_vectors(options.positions) && !options.variants.positions) return options.max_positions;
  return std::nullopt;
}

/// Of vectors of tokens, and of what is added to them in front of a stack.
inline std::int64_t embedding_size_of(const ModelOptions& o) {
  return o.encoder.embedding_size == 0 ? o.d_model : o.encoder.embedding_size;
}

/// The same as parts of that width have them: positions and norms.
inline ModelOptions as_wide_as_embeddings(ModelOptions o) {
  o.d_model = embedding_size_of(o);
  o.encoder.embedding_size = 0;
  return o;
}

/// Heads of keys and values.
inline std::int64_t kv_heads_of(const ModelOptions& o) {
  return o.kv_heads == 0 ? o.heads : o.kv_heads;
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

/// Calls visit(name, member) for each option of the paper's stacks but the variants, in the order of the
/// keys: "norm", &ModelOptions::norm.
template <typename Visit>
void each_option(Visit&& visit) {
  using O = ModelOptions;
  visit("encoder_layers", &O::encoder_layers);
  visit("decoder_layers", &O::decoder_layers);
  visit("d_model", &O::d_model);
  visit("d_ff", &O::d_ff);
  visit("heads", &O::heads);
  visit("d_k", &O::d_k);
  visit("d_v", &O::d_v);
  visit("dropout", &O::dropout);
  visit("attention_dropout", &O::attention_dropout);
  visit("activation_dropout", &O::activation_dropout);
  visit("positions", &O::positions);
  visit("norm", &O::norm);
  visit("norm_type", &O::norm_type);
  visit("residual", &O::residual);
  visit("parallel_sublayers", &O::parallel_sublayers);
  visit("feed_forward", &O::feed_forward);
  visit("activation", &O::activation);
  visit("attention_scale", &O::attention_scale);
  visit("attention_score", &O::attention_score);
  visit("attention_window", &O::attention_window);
  visit("kv_heads", &O::kv_heads);
  visit("qk_norm", &O::qk_norm);
  visit("attention_bias", &O::attention_bias);
  visit("output_bias", &O::output_bias);
  visit("tie", &O::tie);
  visit("scale_embedding", &O::scale_embedding);
  visit("embedding_norm", &O::embedding_norm);
  visit("source_end", &O::source_end);
  visit("norm_epsilon", &O::norm_epsilon);
  visit("rotary_base", &O::rotary_base);
  visit("max_positions", &O::max_positions);
  visit("relative_distance", &O::relative_distance);
}

/// The first option that is neither known nor at its default, as "model.norm: sandwich".
/// Known are the members given, the values for which knows(value) is true, and the sizes and `dropout`, which
/// everyone knows. Fast twins and formats decline any other option by its name, also one that is newer than
/// they are.
template <typename Knows, typename... Values>
std::optional<std::string> other_option(ModelOptions o, Knows&& knows, Values ModelOptions::*... known) {
  using O = ModelOptions;
  const O usual;
  if (o.kv_heads == o.heads) o.kv_heads = usual.kv_heads;
  const auto forget = [&](auto... members) { ((o.*members = usual.*members), ...); };
  forget(&O::encoder_layers, &O::decoder_layers, &O::d_model, &O::d_ff, &O::heads, &O::d_k, &O::d_v,
         &O::dropout, known...);
  if (o.kind) return "model.kind: " + o.kind.name;
  if (o.variants != usual.variants) return "model.variants";
  std::optional<std::string> other;
  each_option([&](const char* name, auto member) {
    const auto value = o.*member;
    if (other || value == usual.*member) return;
    const auto found = std::string("model.") + name + ": ";
    if constexpr (std::is_enum_v<std::remove_const_t<decltype(value)>>) {
      if (!knows(value)) other = found + name_of(value);
    } else if constexpr (std::is_same_v<decltype(value), const bool>) {
      other = found + (value ? "true" : "false");
    } else {
      other = found + (std::ostringstream() << value).str();
    }
  });
  return other;
}

/// Numbers of tokens, which the data decide and not the configuration.
struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;  ///< of an encoder with a head: labels and the special tokens

  bool operator==(const VocabularySizes&) const = default;
};

/// What an encoder alone predicts one of: tokens, labels, the one number,
/// or beginning and end.
inline std::int64_t outputs_of(const ModelOptions& options, const VocabularySizes& vocabulary) {
  switch (options.encoder.head) {
    case Head::none:
      return vocabulary.target;
    case Head::number:
      return 1;
    case Head::span:
      return 2;
    case Head::classes:
    case Head::words:
      return vocabulary.target - (kEos + 1);
  }
  no_such_choice();
}

}  // namespace transformer::models
