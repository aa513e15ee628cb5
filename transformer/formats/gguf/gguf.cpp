#include "transformer/formats/gguf/gguf.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "transformer/base/error.h"
#include "transformer/config/keys.h"
#include "transformer/data/blocks.h"
#include "transformer/formats/gguf/gguf_tokenizer.h"
#include "transformer/formats/plain_tokenizers.h"
#include "transformer/formats/weights.h"
#include "transformer/models/tensors.h"
#include "transformer/runtime/device.h"

namespace transformer::formats {
namespace {

using models::ModelOptions;

constexpr const char* kEmbedding = "embedding.weight";
constexpr const char* kOutput = "output.weight";

/// Llama's value of each choice. other_option checks all other options.
ModelOptions llama_choices() {
  ModelOptions options;
  options.positions = nn::Positions::rotary;
  options.norm = nn::NormPlacement::pre;
  options.norm_type = nn::NormKind::rms;
  options.feed_forward = nn::FeedForwardKind::swiglu;
  return options;
}

void check_llama(const ModelOptions& found) {
  if (!found.kind || found.kind.name != models::kDecoder)
    throw InputError(
        fmt::format("model.kind: expected {} for GGUF, found {}", models::kDecoder, models::kind_of(found)));
  check_no_variants(found, "GGUF");
  config::Experiment llama, model;
  llama.model = llama_choices();
  model.model = found;
  for (const auto* name : {"positions", "norm", "norm_type", "feed_forward"}) {
    const auto* key = config::find_key(std::string("model.") + name);
    if (key->get(llama) != key->get(model))
      throw InputError(fmt::format("{}: expected {} for GGUF, as Llama has it, found {}", key->name,
                                   key->get(llama), key->get(model)));
  }
  if (found.attention_bias && found.heads * found.d_k != found.d_model)
    throw InputError(fmt::format(
        "model.attention_bias: expected false for GGUF, whose biases of queries have d_model ({}) "
        "numbers, unlike heads of {}",
        found.d_model, found.heads * found.d_k));
  auto layers = found;
  layers.kind = {};
  using O = ModelOptions;
  if (const auto other = models::other_option(
          layers, [](auto) { return true; }, &O::attention_dropout, &O::activation_dropout, &O::kv_heads,
          &O::attention_bias, &O::scale_embedding, &O::norm_epsilon, &O::max_positions, &O::relative_distance,
          &O::activation, &O::rotary_base))
    throw InputError(fmt::format("{}: Llama's layers, which GGUF holds, know nothing of that", *other));
}

std::optional<GgufType> type_of(const std::string& precision) {
  if (precision == "fp32") return GgufType::f32;
  if (precision == "fp16") return GgufType::f16;
  if (precision == "bf16") return GgufType::bf16;
  if (precision == "int8") return GgufType::q8_0;
  return std::nullopt;
}

/// Vectors stay fp32. So do rows that are no whole blocks: llama-cpp-python 0.3.16 multiplies such rows of
/// fp16 wrongly.
GgufType type_of(const torch::Tensor& values, GgufType wanted) {
  return values.dim() < 2 || values.size(-1) % kGgufBlock != 0 ? GgufType::f32 : wanted;
}

/// Theirs and ours, of a layer.
constexpr std::pair<const char*, const char*> kLayer[] = {{"attn_norm", "self_attention_residual.norm"},
                                                          {"attn_q", "self_attention.query"},
                                                          {"attn_k", "self_attention.key"},
                                                          {"attn_v", "self_attention.value"},
                                                          {"attn_output", "self_attention.output"},
                                                          {"ffn_norm", "feed_forward_residual.norm"},
                                                          {"ffn_gate", "feed_forward.gate"},
                                                          {"ffn_up", "feed_forward.inner"},
                                                          {"ffn_down", "feed_forward.outer"}};

/// Their names of our parameters.
std::map<std::string, std::string> llama_names(const ModelOptions& options) {
  std::map<std::string, std::string> names{{"token_embd.weight", kEmbedding},
                                           {"output_norm.weight", "decoder.norm.weight"}};
  if (!nn::ties_output(options.tie)) names["output.weight"] = kOutput;
  for (std::int64_t i = 0; i < options.decoder_layers; ++i)
    for (const auto& [theirs, ours] : kLayer)
      for (const auto* kind : {"weight", "bias"})
        names[fmt::format("blk.{}.{}.{}", i, theirs, kind)] =
            fmt::format("decoder.layers.{}.{}.{}", i, ours, kind);
  return names;
}

class Metadata {
 public:
  Metadata(const GgufFile& file, const std::string& source) : file_(file), source_(source) {}

  std::int64_t integer(const char* key) const {
    return gguf_value<std::uint32_t>(file_, std::string("llama.") + key, source_);
  }
  double real(const char* key) const {
    return gguf_value<float>(file_, std::string("llama.") + key, source_);
  }

  ModelOptions options() const {
    auto options = llama_choices();
    options.kind = {models::kDecoder, {}};
    options.decoder_layers = integer("block_count");
    options.d_model = integer("embedding_length");
    options.d_ff = integer("feed_forward_length");
    options.heads = integer("attention.head_count");
    options.kv_heads = integer("attention.head_count_kv");
    options.d_k = options.d_v = integer("attention.key_length");
    options.norm_epsilon = real("attention.layer_norm_rms_epsilon");
    options.rotary_base = real("rope.freq_base");
    options.scale_embedding = false;
    options.tie = file_.tensors.contains("output.weight") ? nn::Tie::none : nn::Tie::all;
    options.attention_bias = file_.tensors.contains("blk.0.attn_q.bias");
    const bool sound = options.heads > 0 && options.kv_heads > 0 && options.heads % options.kv_heads == 0 &&
                       options.d_k > 0 && options.d_k % 2 == 0 && options.decoder_layers > 0 &&
                       options.decoder_layers <= static_cast<std::int64_t>(file_.tensors.size());
    if (!sound || integer("attention.value_length") != options.d_k ||
        integer("rope.dimension_count") != options.d_k)
      throw InputError(fmt::format("{}: expected the sizes of a model of ours, found others", source_));
    return options;
  }

 private:
  const GgufFile& file_;
  const std::string& source_;
};

}  // namespace

void make_llama(checkpoints::LoadedModel& model, const std::string& precision) {
  auto options = model.model->options();
  check_llama(options);
  auto weights = weights_of(model.model);
  if (options.d_v != options.d_k) pad_values(weights, options, "GGUF");
  if (options.scale_embedding) {
    weights.emplace(kOutput, weights.at(kEmbedding));  // unless it has its own
    weights[kEmbedding] = weights.at(kEmbedding) * std::sqrt(static_cast<double>(options.d_model));
    options.tie = nn::Tie::none;
    options.scale_embedding = false;
  }
  for (auto& [name, values] : weights)
    values = gguf_rounded(values, type_of(values, type_of(precision).value()));
  const auto device = model.model->device();
  model.model = model_with(weights, options, model.model->vocabulary(), model.directory.string());
  runtime::move_to(*model.model, device);
  model.experiment.model = options;
}

void write_gguf(const checkpoints::LoadedModel& model, const std::filesystem::path& path,
                const std::string& precision) {
  auto llama = model;
  make_llama(llama, precision);
  const auto& options = llama.experiment.model;
  const auto& data = model.experiment.data;
  const auto type = type_of(precision).value();
  GgufFile file;
  const auto set = [&](const char* key, std::int64_t value) {
    file.metadata[std::string("llama.") + key] = static_cast<std::uint32_t>(value);
  };
  file.metadata["general.architecture"] = std::string("llama");
  file.metadata["general.alignment"] = std::uint32_t{32};
  file.metadata["general.quantization_version"] = std::uint32_t{2};
  set("vocab_size", llama.model->vocabulary().target);
  set("context_length", data.block > 0 ? data.block : data.max_tokens);
  set("embedding_length", options.d_model);
  set("block_count", options.decoder_layers);
  set("feed_forward_length", options.d_ff);
  set("attention.head_count", options.heads);
  set("attention.head_count_kv", models::kv_heads_of(options));
  set("attention.key_length", options.d_k);
  set("attention.value_length", options.d_v);
  set("rope.dimension_count", options.d_k);
  file.metadata["llama.rope.freq_base"] = static_cast<float>(options.rotary_base);
  file.metadata["llama.attention.layer_norm_rms_epsilon"] = static_cast<float>(options.norm_epsilon);
  const auto content = plain_tokenizer_files(model.tokenizers).begin()->second;
  add_gguf_tokenizer(file, data::Tokenizer::of_content(content, model.tokenizers.target->path()),
                     data::begin_of_texts(data));
  const auto weights = weights_of(llama.model);
  for (const auto& [theirs, ours] : llama_names(options)) {
    const auto values = weights.find(ours);
    if (values == weights.end()) continue;
    // The feed-forward layers of Llama have no biases, and llama.cpp does not demand them.
    if (ours.ends_with("bias") && !options.attention_bias && values->second.eq(0).all().item<bool>())
      continue;
    file.tensors[theirs] = {values->second, type_of(values->second, type)};
  }
  save_gguf(path, file);
}

Candidate read_gguf(const std::filesystem::path& path, const torch::Device& device) {
  const auto file = load_gguf(path);
  const auto source = path.string();
  if (gguf_value<std::string>(file, "general.architecture", source) != "llama")
    throw InputError(fmt::format("{}: expected the architecture llama, found another", source));
  const auto options = Metadata(file, source).options();
  const auto tokenizer = std::make_shared<const data::Tokenizer>(gguf_tokenizer(file, source));
  const models::VocabularySizes vocabulary{tokenizer->size(), tokenizer->size()};
  const auto names = llama_names(options);
  Weights weights;
  for (const auto& info : models::tensors_of(options, vocabulary))
    if (info.name.ends_with("bias")) weights[info.name] = torch::zeros(info.shape);
  for (const auto& [theirs, tensor] : file.tensors) {
    const auto ours = names.find(theirs);
    if (ours == names.end())
      throw InputError(fmt::format("{}: holds '{}', which no model of ours has", source, theirs));
    weights[ours->second] = tensor.values;
  }
  auto model = model_with(weights, options, vocabulary, source);
  runtime::move_to(*model, device);
  return candidate_of(model, tokenizer);
}

}  // namespace transformer::formats
