#include "transformer/formats/marian/marian_config.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/formats/json_object.h"
#include "transformer/formats/marian/marian_generation.h"

namespace transformer::formats {
namespace {

constexpr std::int64_t kMostSize = 1'000'000;
constexpr std::int64_t kMostLayers = 1000;

JsonObject optional_file(const std::filesystem::path& file) {
  return exists(file) ? JsonObject(file) : JsonObject();
}

/// A number that encoder and decoder must agree on.
std::int64_t common(const JsonObject& config, const std::string& encoder, const std::string& decoder,
                    std::int64_t otherwise) {
  const auto value = config.integer(encoder, 1, kMostSize).value_or(otherwise);
  if (config.integer(decoder, 1, kMostSize).value_or(otherwise) != value)
    config.refuse(decoder, fmt::format("{}, as {}", value, encoder));
  return value;
}

nn::Activation activation(const JsonObject& config) {
  const auto name = config.text("activation_function").value_or("gelu");
  if (name == "silu") return nn::Activation::swish;
  for (const auto activation : all_values<nn::Activation>())
    if (about(activation).in_exports && name == name_of(activation)) return activation;
  config.refuse("activation_function", "relu, gelu, swish or silu");
}

/// Dropout, which is below 1 in our configurations.
double share(const JsonObject& config, const std::string& key, double otherwise) {
  return config.real(key, 0, 0.999999).value_or(otherwise);
}

void read_model(const JsonObject& config, MarianConfig& result) {
  if (config.text("model_type").value_or("marian") != "marian") config.refuse("model_type", "marian");
  if (!config.boolean("scale_embedding").value_or(false))
    config.refuse("scale_embedding", "true, as embeddings are multiplied with the root of d_model here");
  auto& model = result.model;
  model.norm = nn::NormPlacement::post;
  model.attention_bias = true;
  model.activation = activation(config);
  model.d_model = config.integer("d_model", 1, kMostSize).value_or(1024);
  model.encoder_layers = config.integer("encoder_layers", 1, kMostLayers).value_or(12);
  model.decoder_layers = config.integer("decoder_layers", 1, kMostLayers).value_or(12);
  model.d_ff = common(config, "encoder_ffn_dim", "decoder_ffn_dim", 4096);
  model.heads = common(config, "encoder_attention_heads", "decoder_attention_heads", 16);
  if (model.d_model % model.heads != 0)
    config.refuse("encoder_attention_heads", fmt::format("a divisor of d_model, {}", model.d_model));
  model.d_k = model.d_v = model.d_model / model.heads;
  model.dropout = share(config, "dropout", 0.1);
  model.attention_dropout = share(config, "attention_dropout", 0.0);
  model.activation_dropout = share(config, "activation_dropout", 0.0);
}

void read_vocabulary(const JsonObject& config, MarianConfig& result) {
  result.shared_embeddings = config.boolean("share_encoder_decoder_embeddings").value_or(true);
  result.tied_output = config.boolean("tie_word_embeddings").value_or(true);
  result.model.tie = !result.tied_output        ? nn::Tie::none
                     : result.shared_embeddings ? nn::Tie::all
                                                : nn::Tie::target;
  auto& source = result.vocabulary.source;
  auto& target = result.vocabulary.target;
  source = config.integer("vocab_size", 1, kMostSize).value_or(58101);
  target = config.integer("decoder_vocab_size", 1, kMostSize).value_or(source);
  if (result.shared_embeddings && source != target)
    config.refuse("decoder_vocab_size", fmt::format("{}, the vocab_size, of shared embeddings", source));
  const auto id = [&](const char* key) {
    const auto found = config.integer(key, 0, target - 1);
    if (!found) config.refuse(key, "an id of the vocabulary");
    return *found;
  };
  result.end = id("eos_token_id");
  result.pad = id("pad_token_id");
  result.start = id("decoder_start_token_id");
  if (result.end == result.pad) config.refuse("pad_token_id", "another id than eos_token_id");
}

/// A special token: text, or an object whose "content" is text.
std::string special(const JsonObject& config, const std::string& key, const std::string& otherwise) {
  const auto found = config.content().find(key);
  if (found == config.content().end() || found->is_null()) return otherwise;
  const auto token = found->is_object() ? found->value("content", nlohmann::json()) : *found;
  if (!token.is_string()) config.refuse(key, "text");
  return token.get<std::string>();
}

}  // namespace

MarianConfig read_marian_config(const MarianFiles& files) {
  const JsonObject config(files.config());
  MarianConfig result;
  read_model(config, result);
  read_vocabulary(config, result);
  result.stored_positions = config.boolean(kOwnStoredPositions).value_or(false);
  result.decode = read_generation(optional_file(files.generation()), config,
                                  {.pad = result.pad, .end = result.end, .start = result.start});
  return result;
}

std::vector<std::string> ignored_marian_settings(const MarianFiles& files) {
  return ignored_settings(optional_file(files.generation()), JsonObject(files.config()));
}

MarianTokenizerConfig read_marian_tokenizer_config(const MarianFiles& files) {
  const auto config = optional_file(files.tokenizer());
  const MarianTokenizerConfig otherwise;
  return {.unknown = special(config, "unk_token", otherwise.unknown),
          .pad = special(config, "pad_token", otherwise.pad),
          .end = special(config, "eos_token", otherwise.end),
          .source = config.text("source_lang").value_or(""),
          .target = config.text("target_lang").value_or(""),
          .separate_vocabularies = config.boolean("separate_vocabs").value_or(false)};
}

}  // namespace transformer::formats
