#include "transformer/formats/huggingface/seq2seq_config.h"

#include <fmt/format.h>

#include "transformer/formats/json_object.h"
#include "transformer/formats/marian/marian_generation.h"

namespace transformer::formats::seq2seq {
namespace {

using nn::Activation;

constexpr std::int64_t kMostNumbers = 1'000'000, kMostStacked = 1000, kMostTokens = 10'000'000;
constexpr std::int64_t kMostPositions = 65536;

JsonObject generation_of(const std::filesystem::path& folder) {
  const auto file = folder / "generation_config.json";
  return exists(file) ? JsonObject(file) : JsonObject();
}

std::int64_t number(const JsonObject& config, const char* key, std::optional<std::int64_t> otherwise = {},
                    std::int64_t most = kMostNumbers) {
  const auto found = config.integer(key, 1, most);
  if (!found && !otherwise) config.refuse(key, "a size");
  return found ? *found : *otherwise;
}

double rate(const JsonObject& config, const char* key, double otherwise) {
  return config.real(key, 0, 0.999999).value_or(otherwise);
}

/// A value that another key must share.
void expect_same(const JsonObject& config, const char* key, std::int64_t value, const char* other) {
  if (config.integer(key, 1, kMostNumbers).value_or(value) != value)
    config.refuse(key, fmt::format("{}, as {}", value, other));
}

void expect_number(const JsonObject& config, const char* key, std::int64_t value) {
  if (config.integer(key, 0).value_or(value) != value) config.refuse(key, fmt::format("{}", value));
}

void expect_switch(const JsonObject& config, const char* key, bool value) {
  if (config.boolean(key).value_or(value) != value) config.refuse(key, value ? "true" : "false");
}

std::optional<Activation> activation_of(std::string_view name) {
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return Activation::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::gelu_tanh;
  if (name == "silu" || name == "swish") return Activation::swish;
  return std::nullopt;
}

/// "relu" and "gated-gelu" are those of T5 and its version 1.1. In the latter gelu means its approximation.
void read_t5_feed_forward(const JsonObject& config, models::ModelOptions& model) {
  const auto name = config.text("feed_forward_proj").value_or("relu");
  if (name == "gated-gelu") {
    model.feed_forward = nn::FeedForwardKind::geglu;
  } else if (name == "gated-silu" || name == "gated-swish") {
    model.feed_forward = nn::FeedForwardKind::swiglu;
  } else if (const auto found = activation_of(name)) {
    model.activation = *found;
  } else {
    config.refuse("feed_forward_proj", "relu, gelu, gelu_new, silu, gated-gelu or gated-silu");
  }
}

void read_t5(const JsonObject& config, Config& result) {
  auto& model = result.model;
  model.norm = nn::NormPlacement::pre;
  model.norm_type = nn::NormKind::rms;
  model.positions = nn::Positions::bias;
  model.attention_scale = false;
  model.scale_embedding = false;
  model.d_model = number(config, "d_model", 512);
  model.d_k = model.d_v = number(config, "d_kv", 64);
  model.d_ff = number(config, "d_ff", 2048);
  model.heads = number(config, "num_heads", 8);
  model.encoder_layers = number(config, "num_layers", 6, kMostStacked);
  model.decoder_layers = number(config, "num_decoder_layers", model.encoder_layers, kMostStacked);
  model.dropout = model.attention_dropout = model.activation_dropout = rate(config, "dropout_rate", 0.1);
  model.norm_epsilon = config.real("layer_norm_epsilon", 1e-37, 1).value_or(1e-6);
  expect_number(config, "relative_attention_num_buckets", 32);
  expect_number(config, "relative_attention_max_distance", 128);
  read_t5_feed_forward(config, model);
  // Versions of transformers before 5 scale where the output is tied. Later ones tie always and save whether
  // they scale. mT5 never does.
  const bool tied = config.boolean("tie_word_embeddings").value_or(true);
  result.scaled_output =
      config.text("model_type") == "t5" && config.boolean("scale_decoder_outputs").value_or(tied);
}

/// What fairseq's models have in common, with transformers' defaults for M2M-100, or for BART and mBART.
void read_fairseq(const JsonObject& config, Config& result) {
  const bool m2m = result.family == Family::m2m_100;
  auto& model = result.model;
  model.norm = about(result.family).norms_at_the_end ? nn::NormPlacement::pre : nn::NormPlacement::post;
  model.embedding_norm = about(result.family).embedding_norm;
  model.positions = nn::Positions::learned;
  model.attention_bias = true;
  model.d_model = number(config, "d_model", 1024);
  model.encoder_layers = number(config, "encoder_layers", 12, kMostStacked);
  model.decoder_layers = number(config, "decoder_layers", 12, kMostStacked);
  model.d_ff = number(config, "encoder_ffn_dim", 4096);
  expect_same(config, "decoder_ffn_dim", model.d_ff, "encoder_ffn_dim");
  model.heads = number(config, "encoder_attention_heads", 16);
  expect_same(config, "decoder_attention_heads", model.heads, "encoder_attention_heads");
  if (model.d_model % model.heads != 0)
    config.refuse("encoder_attention_heads", fmt::format("a divisor of d_model, {}", model.d_model));
  if (model.d_model % 2 != 0 || model.d_model < 4) config.refuse("d_model", "an even number from 4");
  model.d_k = model.d_v = model.d_model / model.heads;
  model.max_positions = number(config, "max_position_embeddings", 1024, kMostPositions);
  model.scale_embedding = config.boolean("scale_embedding").value_or(m2m);
  const auto name = config.text("activation_function").value_or(m2m ? "relu" : "gelu");
  const auto activation = activation_of(name);
  if (!activation) config.refuse("activation_function", "relu, gelu, gelu_new or silu");
  model.activation = *activation;
  model.dropout = rate(config, "dropout", 0.1);
  model.attention_dropout = rate(config, "attention_dropout", m2m ? 0.1 : 0);
  model.activation_dropout = rate(config, "activation_dropout", 0);
  if (!config.boolean("tie_word_embeddings").value_or(true)) config.refuse("tie_word_embeddings", "true");
  // Of BART's first configurations, where other models of fairseq had other values.
  expect_switch(config, "normalize_embedding", true);
  expect_switch(config, "static_position_embeddings", false);
  expect_switch(config, "normalize_before", about(result.family).norms_at_the_end);
  expect_switch(config, "add_final_layer_norm", about(result.family).norms_at_the_end);
}

void read_ids(const JsonObject& config, const JsonObject& generation, Config& result) {
  const bool t5 = result.family == Family::t5;
  result.vocabulary = number(config, "vocab_size", {}, kMostTokens);
  const auto id = [&](const char* key, std::int64_t otherwise) {
    const auto found = config.integer(key, 0, result.vocabulary - 1).value_or(otherwise);
    if (found >= result.vocabulary) config.refuse(key, fmt::format("an id below {}", result.vocabulary));
    return found;
  };
  result.pad = id("pad_token_id", t5 ? 0 : 1);
  result.end = id("eos_token_id", t5 ? 1 : 2);
  result.start = id("decoder_start_token_id", t5 ? result.pad : result.end);
  if (result.end == result.pad) config.refuse("pad_token_id", "another id than eos_token_id");
  const auto& forced = generation.find("forced_bos_token_id") != nullptr ? generation : config;
  result.first = forced.integer("forced_bos_token_id", 0, result.vocabulary - 1);
  if (result.family != Family::bart) return;
  result.source_first = id("bos_token_id", 0);
  if (!result.first) result.first = result.source_first;  // it learnt to write it
}

}  // namespace

std::optional<Family> family_of(std::string_view model_type) {
  if (model_type == "t5" || model_type == "mt5") return Family::t5;
  if (model_type == "m2m_100") return Family::m2m_100;
  if (model_type == "bart") return Family::bart;
  if (model_type == "mbart") return Family::mbart;
  return std::nullopt;
}

Config read_config(const std::filesystem::path& folder) {
  const JsonObject config(folder / "config.json");
  const auto family = family_of(config.text("model_type").value_or(""));
  if (!family) config.refuse("model_type", "t5, mt5, m2m_100, bart or mbart");
  Config result{.family = *family};
  result.model.tie = nn::Tie::all;
  switch (*family) {
    case Family::t5:
      read_t5(config, result);
      break;
    case Family::m2m_100:
    case Family::bart:
    case Family::mbart:
      read_fairseq(config, result);
      break;
  }
  const auto generation = generation_of(folder);
  read_ids(config, generation, result);
  result.decode = read_generation(generation, config,
                                  {.pad = result.pad,
                                   .end = result.end,
                                   .start = result.start,
                                   .forces_first = result.first.has_value()});
  return result;
}

}  // namespace transformer::formats::seq2seq
