#include "transformer/formats/huggingface/seq2seq_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transformer/formats/huggingface/seq2seq_vocabulary.h"
#include "transformer/formats/json_object.h"
#include "transformer/formats/marian/marian_generation.h"
#include "transformer/kernels/relative_bucket.h"

namespace transformer::formats::seq2seq {
namespace {

using nn::Activation, nn::FeedForwardKind;
using Json = nlohmann::ordered_json;

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

template <typename Value>
struct Named {
  const char* name;
  Value ours;
};
/// Of several names of one, the first is written.
constexpr std::array kActivations{Named<Activation>{"relu", Activation::relu},
                                  Named<Activation>{"gelu", Activation::gelu},
                                  Named<Activation>{"gelu_new", Activation::gelu_tanh},
                                  Named<Activation>{"gelu_pytorch_tanh", Activation::gelu_tanh},
                                  Named<Activation>{"silu", Activation::swish},
                                  Named<Activation>{"swish", Activation::swish}};
/// Of T5's version 1.1, where gelu means its approximation.
constexpr std::array kGates{Named<FeedForwardKind>{"gated-gelu", FeedForwardKind::geglu},
                            Named<FeedForwardKind>{"gated-silu", FeedForwardKind::swiglu},
                            Named<FeedForwardKind>{"gated-swish", FeedForwardKind::swiglu}};

template <typename Value, std::size_t size>
std::optional<Value> value_of(const std::array<Named<Value>, size>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Named<Value>::name);
  return found == all.end() ? std::nullopt : std::optional(found->ours);
}

template <typename Value, std::size_t size>
const char* their_name_of(const std::array<Named<Value>, size>& all, Value ours) {
  return std::ranges::find(all, ours, &Named<Value>::ours)->name;
}

void read_t5_feed_forward(const JsonObject& config, models::ModelOptions& model) {
  const auto name = config.text("feed_forward_proj").value_or("relu");
  if (const auto gate = value_of(kGates, name)) {
    model.feed_forward = *gate;
  } else if (const auto found = value_of(kActivations, name)) {
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
  expect_number(config, "relative_attention_num_buckets", kernels::kRelativeBuckets);
  expect_number(config, "relative_attention_max_distance", kernels::kFarthest);
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
  const auto activation = value_of(kActivations, name);
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

/// adds_begin: BART's tokenizer does so.
void read_ids(const JsonObject& config, const JsonObject& generation, bool adds_begin, Config& result) {
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
  if (result.family != Family::bart || !adds_begin) return;
  result.source_first = id("bos_token_id", 0);
  if (!result.first) result.first = result.source_first;  // it learnt to write it
}

Json t5_json(const Config& config) {
  const auto& o = config.model;
  return {{"d_model", o.d_model},
          {"d_kv", o.d_k},
          {"d_ff", o.d_ff},
          {"num_layers", o.encoder_layers},
          {"num_decoder_layers", o.decoder_layers},
          {"num_heads", o.heads},
          {"relative_attention_num_buckets", kernels::kRelativeBuckets},
          {"relative_attention_max_distance", kernels::kFarthest},
          {"dropout_rate", o.dropout},
          {"layer_norm_epsilon", o.norm_epsilon},
          {"feed_forward_proj", nn::gate_of(o.feed_forward) == nn::Gate::none
                                    ? their_name_of(kActivations, o.activation)
                                    : their_name_of(kGates, o.feed_forward)},
          {"tie_word_embeddings", nn::ties_output(o.tie)},
          {"scale_decoder_outputs", config.scaled_output}};
}

/// BART's begins its sources. M2M-100's is fairseq's first token, which does nothing.
std::int64_t begin_of(const Config& config) {
  if (config.family == Family::bart) return config.source_first.value_or(config.start);
  return config.start == config.end ? 0 : config.start;
}

Json fairseq_json(const Config& config) {
  const auto& o = config.model;
  return {{"d_model", o.d_model},
          {"encoder_layers", o.encoder_layers},
          {"decoder_layers", o.decoder_layers},
          {"num_hidden_layers", o.encoder_layers},
          {"encoder_attention_heads", o.heads},
          {"decoder_attention_heads", o.heads},
          {"encoder_ffn_dim", o.d_ff},
          {"decoder_ffn_dim", o.d_ff},
          {"max_position_embeddings", o.max_positions},
          {"activation_function", their_name_of(kActivations, o.activation)},
          {"dropout", o.dropout},
          {"attention_dropout", o.attention_dropout},
          {"activation_dropout", o.activation_dropout},
          {"encoder_layerdrop", 0.0},
          {"decoder_layerdrop", 0.0},
          {"scale_embedding", o.scale_embedding},
          {"tie_word_embeddings", true},
          {"bos_token_id", begin_of(config)},
          {"forced_eos_token_id", config.end}};
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
  read_ids(config, generation, !has_marian_tokens(folder), result);
  result.decode = read_generation(generation, config,
                                  {.pad = result.pad,
                                   .end = result.end,
                                   .start = result.start,
                                   .forces_first = result.first.has_value()});
  return result;
}

Json config_json(const Config& config) {
  const bool t5 = config.family == Family::t5;
  Json result{{"model_type", about(config.family).model_type},
              {"architectures", {about(config.family).model}},
              {"dtype", "float32"},
              {"is_encoder_decoder", true},
              {"vocab_size", config.vocabulary},
              {"pad_token_id", config.pad},
              {"eos_token_id", config.end},
              {"decoder_start_token_id", config.start}};
  result.update(t5 ? t5_json(config) : fairseq_json(config));
  result.update(Json(own_settings(config.decode)));
  return result;
}

Json generation_json(const Config& config, std::int64_t longest) {
  auto result = written_generation(config.decode,
                                   {.pad = config.pad, .end = config.end, .start = config.start}, longest);
  if (config.first) result["forced_bos_token_id"] = *config.first;
  return result;
}

}  // namespace transformer::formats::seq2seq
