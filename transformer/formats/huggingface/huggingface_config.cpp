#include "transformer/formats/huggingface/huggingface_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/config/keys.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats::huggingface {
namespace {

using models::ModelOptions;
using nlohmann::json;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostSize = 1'000'000, kMostLayers = 1000, kMostPieces = 10'000'000;

struct NamedActivation {
  const char* name;
  nn::Activation ours;
};
/// Of several names of one, the first is written.
constexpr NamedActivation kActivations[] = {
    {"gelu_new", nn::Activation::gelu_tanh},  {"gelu_pytorch_tanh", nn::Activation::gelu_tanh},
    {"gelu_fast", nn::Activation::gelu_tanh}, {"gelu", nn::Activation::gelu},
    {"relu", nn::Activation::relu},           {"silu", nn::Activation::swish},
    {"swish", nn::Activation::swish}};

std::int64_t size_of(const JsonObject& config, const char* key, std::int64_t most = kMostSize) {
  const auto found = config.integer(key, 1, most);
  if (!found) config.refuse(key, "a size");
  return *found;
}

/// Of a switch that has one value here.
void expect(const JsonObject& config, const char* key, bool value) {
  if (config.boolean(key).value_or(value) != value) config.refuse(key, value ? "true" : "false");
}

double share_of(const JsonObject& config, const char* key, double otherwise) {
  return config.real(key, 0, 0.999999).value_or(otherwise);
}

/// Their newer files have one object for what older ones have in two keys.
void read_rotation(const JsonObject& config, ModelOptions& model) {
  model.rotary_base = config.real("rope_theta", 1, 1e12).value_or(10000);
  for (const auto* key : {"rope_scaling", "rope_parameters"}) {
    const auto* found = config.find(key);
    if (found == nullptr) continue;
    const auto type = [&](const char* name) {
      return found->is_object() ? found->value(name, json()) : json();
    };
    const bool plain = found->is_object() &&
                       (type("rope_type").is_null() || type("rope_type") == "default") &&
                       (type("type").is_null() || type("type") == "default") &&
                       (type("partial_rotary_factor").is_null() || type("partial_rotary_factor") == 1.0);
    if (!plain) config.refuse(key, "rotary positions of the type default, as no others are known");
    const auto base = type("rope_theta");
    if (base.is_null()) continue;
    if (!base.is_number() || base < 1 || base > 1e12) config.refuse(key, "a rope_theta from 1 to 1e12");
    model.rotary_base = base.get<double>();
  }
}

void read_heads(const JsonObject& config, ModelOptions& model, std::optional<std::int64_t> head) {
  if (!head) {
    if (model.d_model % model.heads != 0)
      config.refuse("num_attention_heads", fmt::format("a divisor of hidden_size, {}", model.d_model));
    head = model.d_model / model.heads;
  }
  if (*head % 2 != 0) config.refuse("head_dim", "an even number");
  model.d_k = model.d_v = *head;
  const auto keys = config.integer("num_key_value_heads", 1, kMostSize).value_or(model.heads);
  if (model.heads % keys != 0)
    config.refuse("num_key_value_heads", fmt::format("a divisor of num_attention_heads, {}", model.heads));
  model.kv_heads = keys == model.heads ? 0 : keys;
}

void read_llama(const JsonObject& config, Config& result) {
  auto& model = result.model;
  const bool gemma = result.family == Family::gemma;
  model.d_model = size_of(config, "hidden_size");
  model.d_ff = size_of(config, "intermediate_size");
  model.decoder_layers = size_of(config, "num_hidden_layers", kMostLayers);
  model.heads = size_of(config, "num_attention_heads");
  const auto head = config.integer("head_dim", 1, kMostSize);
  read_heads(config, model, head || !gemma ? head : std::optional<std::int64_t>(256));
  read_rotation(config, model);
  model.norm_epsilon = config.real("rms_norm_eps", 1e-37, 1).value_or(1e-6);
  model.attention_dropout = share_of(config, "attention_dropout", 0);
  model.attention_bias = config.boolean("attention_bias").value_or(false);
  if (result.family == Family::mistral && model.attention_bias) config.refuse("attention_bias", "false");
  result.mlp_bias = config.boolean("mlp_bias").value_or(false);
  if (result.mlp_bias && !about(result.family).mlp_bias) config.refuse("mlp_bias", "false");
  const char* activation =
      gemma && config.find("hidden_activation") != nullptr ? "hidden_activation" : "hidden_act";
  const auto name = config.text(activation).value_or(gemma ? "gelu_pytorch_tanh" : "silu");
  // Gemma's first files say gelu and mean its approximation.
  if (gemma ? name != "gelu_pytorch_tanh" && name != "gelu" : name != "silu")
    config.refuse(activation, gemma ? "gelu_pytorch_tanh" : "silu");
  expect(config, "use_bidirectional_attention", false);
  result.longest = config.integer("max_position_embeddings", 2).value_or(2048);
  if (const auto window = config.integer("sliding_window", 0);
      window && result.family == Family::mistral && *window < result.longest)
    config.refuse("sliding_window",
                  fmt::format("nothing, or at least max_position_embeddings, {}", result.longest));
  model.tie = config.boolean("tie_word_embeddings").value_or(gemma) ? nn::Tie::all : nn::Tie::none;
}

void read_gpt2(const JsonObject& config, Config& result) {
  auto& model = result.model;
  model.d_model = size_of(config, "n_embd");
  model.decoder_layers = size_of(config, "n_layer", kMostLayers);
  model.heads = size_of(config, "n_head");
  if (model.d_model % model.heads != 0)
    config.refuse("n_head", fmt::format("a divisor of n_embd, {}", model.d_model));
  model.d_k = model.d_v = model.d_model / model.heads;
  model.d_ff = config.integer("n_inner", 1, kMostSize).value_or(4 * model.d_model);
  result.longest = model.max_positions = size_of(config, "n_positions");
  const auto name = config.text("activation_function").value_or("gelu_new");
  const auto* known = std::ranges::find(kActivations, name, &NamedActivation::name);
  if (known == std::end(kActivations)) config.refuse("activation_function", "gelu_new, gelu, relu or silu");
  model.activation = known->ours;
  model.norm_epsilon = config.real("layer_norm_epsilon", 1e-37, 1).value_or(1e-5);
  model.dropout = share_of(config, "resid_pdrop", 0.1);
  model.attention_dropout = share_of(config, "attn_pdrop", 0.1);
  model.attention_scale = config.boolean("scale_attn_weights").value_or(true);
  expect(config, "scale_attn_by_inverse_layer_idx", false);
  expect(config, "add_cross_attention", false);
  model.tie = config.boolean("tie_word_embeddings").value_or(true) ? nn::Tie::all : nn::Tie::none;
}

std::optional<std::int64_t> id_of(const JsonObject& config, const char* key, std::int64_t vocabulary) {
  const auto found = config.integer(key, -1, vocabulary - 1);
  return found && *found >= 0 ? found : std::nullopt;
}

void read_suppressed(const std::filesystem::path& file, Config& result) {
  if (!exists(file)) return;
  const JsonObject generation(file);
  const auto* found = generation.find("suppress_tokens");
  if (found == nullptr) return;
  for (const auto& id : found->is_array() ? *found : json::array({nullptr})) {
    if (!id.is_number_integer() || id < 0 || id >= result.vocabulary)
      generation.refuse("suppress_tokens", fmt::format("a list of ids below {}", result.vocabulary));
    result.suppressed.insert(id.get<std::int64_t>());
  }
}

/// A value as a configuration writes it.
std::string shown(const char* key, const ModelOptions& model) {
  config::Experiment experiment;
  experiment.model = model;
  return config::find_key(key)->get(experiment);
}

/// `model` as the family would have it.
ModelOptions expressed(Family family, const ModelOptions& model) {
  auto o = model;
  const auto structure = structure_of(family);
  o.kind = structure.kind;
  o.positions = structure.positions;
  o.norm = structure.norm;
  o.norm_type = structure.norm_type;
  o.feed_forward = structure.feed_forward;
  o.residual = structure.residual;
  o.parallel_sublayers = structure.parallel_sublayers;
  o.attention_score = structure.attention_score;
  o.attention_window = structure.attention_window;
  o.qk_norm = structure.qk_norm;
  o.scale_embedding = structure.scale_embedding;
  o.activation_dropout = structure.activation_dropout;
  o.d_v = o.d_k;
  if (family == Family::gpt2) {
    o.d_k = o.d_v = o.d_model / o.heads;
    o.kv_heads = o.kv_heads == o.heads ? o.heads : 0;
  } else {
    o.attention_scale = true;
  }
  return o;
}

}  // namespace

Config read_config(const std::filesystem::path& folder) {
  const JsonObject config(folder / "config.json");
  Config result;
  const auto type = config.text("model_type").value_or("");
  const auto families = all_values<Family>();
  const auto family = std::ranges::find(families, type, [](Family f) { return about(f).name; });
  if (family == families.end())
    config.refuse("model_type",
                  "albert, bart, bert, distilbert, gemma, gpt2, llama, m2m_100, marian, mbart, mistral, mt5, "
                  "roberta, t5 or xlm-roberta");
  result.family = *family;
  result.model = structure_of(result.family);
  if (config.find("quantization_config") != nullptr) config.refuse("quantization_config", "nothing");
  result.vocabulary = size_of(config, "vocab_size", kMostPieces);
  result.family == Family::gpt2 ? read_gpt2(config, result) : read_llama(config, result);
  result.special = {.pad = id_of(config, "pad_token_id", result.vocabulary),
                    .begin = id_of(config, "bos_token_id", result.vocabulary),
                    .end = id_of(config, "eos_token_id", result.vocabulary)};
  read_suppressed(folder / "generation_config.json", result);
  return result;
}

Family family_for(const ModelOptions& model) {
  const auto family = model.feed_forward == nn::FeedForwardKind::geglu ? Family::gemma
                      : nn::are_rotary(model.positions)                ? Family::llama
                                                                       : Family::gpt2;
  const auto refuse = [&](const char* key, const std::string& expected, const std::string& found) {
    throw InputError(
        fmt::format("{}: expected {} for {}, found {}", key, expected, about(family).model, found));
  };
  if (models::kind_of(model) != models::kDecoder)
    refuse("model.kind", models::kDecoder, models::kind_of(model));
  check_no_variants(model, about(family).model);
  const auto theirs = expressed(family, model);
  models::each_option([&](const std::string& name, auto member) {
    const auto key = "model." + name;
    if (model.*member != theirs.*member)
      refuse(key.c_str(), shown(key.c_str(), theirs), shown(key.c_str(), model));
  });
  return family;
}

Json config_json(const Config& config) {
  const auto& o = config.model;
  const auto id = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json result{{"model_type", about(config.family).name},
              {"architectures", {about(config.family).model}},
              {"dtype", "float32"},
              {"vocab_size", config.vocabulary},
              {"pad_token_id", id(config.special.pad)},
              {"bos_token_id", id(config.special.begin)},
              {"eos_token_id", id(config.special.end)},
              {"tie_word_embeddings", nn::ties_output(o.tie)}};
  if (config.family == Family::gpt2) {
    result.update(
        {{"n_embd", o.d_model},
         {"n_layer", o.decoder_layers},
         {"n_head", o.heads},
         {"n_inner", o.d_ff},
         {"n_positions", o.max_positions},
         {"activation_function", std::ranges::find(kActivations, o.activation, &NamedActivation::ours)->name},
         {"layer_norm_epsilon", o.norm_epsilon},
         {"resid_pdrop", o.dropout},
         {"embd_pdrop", o.dropout},
         {"attn_pdrop", o.attention_dropout},
         {"scale_attn_weights", o.attention_scale}});
    return result;
  }
  result.update({{"hidden_size", o.d_model},
                 {"intermediate_size", o.d_ff},
                 {"num_hidden_layers", o.decoder_layers},
                 {"num_attention_heads", o.heads},
                 {"num_key_value_heads", models::kv_heads_of(o)},
                 {"head_dim", o.d_k},
                 {"hidden_act", config.family == Family::gemma ? "gelu_pytorch_tanh" : "silu"},
                 {"max_position_embeddings", config.longest},
                 {"rms_norm_eps", o.norm_epsilon},
                 // For versions before 5, and since.
                 {"rope_theta", o.rotary_base},
                 {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", o.rotary_base}}},
                 {"attention_bias", o.attention_bias},
                 {"attention_dropout", o.attention_dropout}});
  if (about(config.family).mlp_bias) result["mlp_bias"] = config.mlp_bias;
  return result;
}

Json generation_json(const Config& config) {
  const auto& special = config.special;
  Json result{
      {"pad_token_id", *special.pad}, {"bos_token_id", *special.begin}, {"eos_token_id", *special.end}};
  result["suppress_tokens"] = config.suppressed;
  return result;
}

}  // namespace transformer::formats::huggingface
