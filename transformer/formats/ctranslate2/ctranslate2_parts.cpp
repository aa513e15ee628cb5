#include "transformer/formats/ctranslate2/ctranslate2_parts.h"

#include <fmt/format.h>

#include <bit>
#include <type_traits>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/formats/weights.h"

namespace transformer::formats {
namespace {

using models::ModelOptions;

/// All variables that hold weights.
class Parts {
 public:
  explicit Parts(const ModelOptions& options) : options_(options) {
    const bool learned = nn::are_learned_vectors(options.positions);
    const bool source = models::stacks_of(options).encoder;
    const bool all = nn::ties_embeddings(options.tie) || !source;
    const std::string target = all ? "embedding.weight" : "target_embedding.weight";
    const std::string positions = source ? "target_positions.weight" : "positions.weight";
    // The decoder first: of a tied matrix's names, theirs is the first of the alphabet.
    add("decoder/embeddings/weight", {target});
    add("decoder/projection/weight", {nn::ties_output(options.tie) ? target : "output.weight"});
    if (options.output_bias) add("decoder/projection/bias", {"output_bias"});
    if (nn::are_vectors(options.positions))
      add("decoder/position_encodings/encodings", {learned ? positions : kSinusoidTable});
    stack("decoder", options.decoder_layers);
    if (!source) return;
    add("encoder/embeddings_0/weight", {all ? target : "source_embedding.weight"});
    add("encoder/position_encodings/encodings", {learned ? "source_positions.weight" : kSinusoidTable});
    stack("encoder", options.encoder_layers);
  }

  std::vector<CTranslate2Part> take() { return std::move(parts_); }

 private:
  void add(std::string theirs, std::vector<std::string> ours) {
    parts_.push_back({std::move(theirs), std::move(ours)});
  }

  void linear(const std::string& theirs, const std::vector<std::string>& ours, bool bias) {
    for (const std::string kind : {"weight", "bias"}) {
      if (kind == "bias" && !bias) continue;
      std::vector<std::string> names;
      for (const auto& name : ours) names.push_back(fmt::format("{}.{}", name, kind));
      add(fmt::format("{}/{}", theirs, kind), names);
    }
  }

  void norm(const std::string& theirs, const std::string& ours) {
    add(theirs + "/layer_norm/gamma", {ours + ".weight"});
    if (nn::weights_of(options_.norm_type) > 1) add(theirs + "/layer_norm/beta", {ours + ".bias"});
  }

  /// `inputs`: the projections that CTranslate2 joins into each of its own.
  void attention(const std::string& theirs, const std::string& ours,
                 const std::vector<std::vector<std::string>>& inputs) {
    std::size_t number = 0;
    for (const auto& names : inputs) {
      std::vector<std::string> projections;
      for (const auto& name : names) projections.push_back(ours + "." + name);
      linear(fmt::format("{}/linear_{}", theirs, number++), projections, options_.attention_bias);
    }
    linear(fmt::format("{}/linear_{}", theirs, number), {ours + ".output"}, options_.attention_bias);
    norm(theirs, ours + "_residual.norm");
    if (!options_.qk_norm) return;
    add(theirs + "/q_norm/gamma", {ours + ".norm_of_queries.weight"});
    add(theirs + "/k_norm/gamma", {ours + ".norm_of_keys.weight"});
  }

  void stack(const std::string& side, std::int64_t layers) {
    for (std::int64_t i = 0; i < layers; ++i) {
      const auto theirs = fmt::format("{}/layer_{}", side, i), ours = fmt::format("{}.layers.{}", side, i);
      attention(theirs + "/self_attention", ours + ".self_attention", {{"query", "key", "value"}});
      if (side == "decoder" && models::stacks_of(options_).encoder)
        attention(theirs + "/attention", ours + ".source_attention", {{"query"}, {"key", "value"}});
      const bool gate = nn::gate_of(options_.feed_forward) != nn::Gate::none;
      linear(theirs + "/ffn/linear_0", {ours + (gate ? ".feed_forward.gate" : ".feed_forward.inner")}, true);
      if (gate) linear(theirs + "/ffn/linear_0_noact", {ours + ".feed_forward.inner"}, true);
      linear(theirs + "/ffn/linear_1", {ours + ".feed_forward.outer"}, true);
      norm(theirs + "/ffn", ours + ".feed_forward_residual.norm");
    }
    if (nn::norm_comes_first(options_.norm)) norm(side, side + ".norm");
  }

  ModelOptions options_;
  std::vector<CTranslate2Part> parts_;
};

/// That of the gate, if there is one.
std::int64_t activation_of(const ModelOptions& options) {
  switch (nn::gate_of(options.feed_forward)) {
    case nn::Gate::none:
      return ctranslate2_number(options.activation);
    case nn::Gate::swish:
      return ctranslate2_number(nn::Activation::swish);
    case nn::Gate::gelu_tanh:
      return ctranslate2_number(nn::Activation::gelu_tanh);
    case nn::Gate::sigmoid:
      return 6;
  }
  nn::no_such_choice();
}

bool has_usual_head_size(const ModelOptions& options) {
  return options.d_k * options.heads == options.d_model;
}

/// A language model's layers may be the paper's, GPT's or Llama's.
void check_language_layers(const ModelOptions& options) {
  using O = ModelOptions;
  const auto knows = [&](auto value) {
    using Value = decltype(value);
    if constexpr (std::is_same_v<Value, nn::Positions>)
      return nn::are_vectors(value) || nn::are_rotary(value) ||
             (value == nn::Positions::alibi &&
              std::has_single_bit(static_cast<std::uint64_t>(options.heads)));
    else if constexpr (std::is_same_v<Value, nn::NormKind>)
      return value == nn::NormKind::rms || about(value).in_exports;
    else if constexpr (std::is_same_v<Value, nn::FeedForwardKind>)
      return nn::exists(value);
    else if constexpr (std::is_same_v<Value, nn::Activation>)
      return true;
    else
      return about(value).in_exports;
  };
  auto layers = options;
  layers.kind = {};
  if (const auto other =
          models::other_option(layers, knows, &O::attention_dropout, &O::activation_dropout, &O::kv_heads,
                               &O::qk_norm, &O::attention_bias, &O::output_bias, &O::scale_embedding,
                               &O::norm_epsilon, &O::max_positions, &O::relative_distance, &O::rotary_base))
    throw InputError(fmt::format("{}: CTranslate2's language models know nothing of that", *other));
}

}  // namespace

const std::vector<CTranslate2Specification>& ctranslate2_specifications() {
  static const std::vector<CTranslate2Specification> all{{"TransformerSpec", 7, {"encoder", "decoder"}},
                                                         {"TransformerDecoderSpec", 8, {"decoder"}}};
  return all;
}

const CTranslate2Specification& ctranslate2_specification(const ModelOptions& options) {
  return models::stacks_of(options).encoder ? ctranslate2_specifications().front()
                                            : ctranslate2_specifications().back();
}

std::vector<CTranslate2Part> ctranslate2_parts(const ModelOptions& options) {
  return Parts(options).take();
}

std::int64_t ctranslate2_number(nn::Activation activation) {
  switch (activation) {
    case nn::Activation::relu:
      return 0;
    case nn::Activation::gelu_tanh:
      return 1;
    case nn::Activation::swish:
      return 2;
    case nn::Activation::gelu:
      return 3;
  }
  nn::no_such_choice();
}

std::map<std::string, torch::Tensor> ctranslate2_attributes(const ModelOptions& options) {
  std::map<std::string, torch::Tensor> all;
  const auto add = [&](const std::string& name, auto value, torch::ScalarType type) {
    all.emplace(name, torch::tensor(value, type));
  };
  const auto flag = [&](const std::string& name, std::int64_t value) { add(name, value, torch::kChar); };
  const bool source = models::stacks_of(options).encoder;
  for (const auto& side : ctranslate2_specification(options).sides) {
    add(side + "/num_heads", options.heads, torch::kShort);
    flag(side + "/pre_norm", nn::norm_comes_first(options.norm) ? 1 : 0);
    flag(side + "/activation", activation_of(options));
    flag(side + "/scale_embeddings", options.scale_embedding ? 1 : 0);
    const auto layers = side == "encoder" ? options.encoder_layers : options.decoder_layers;
    for (std::int64_t i = 0; i < layers; ++i) {
      const auto attention = fmt::format("{}/layer_{}/self_attention", side, i);
      if (models::kv_heads_of(options) != options.heads)
        add(attention + "/num_heads_kv", options.kv_heads, torch::kInt);
      if (nn::are_rotary(options.positions)) {
        add(attention + "/rotary_dim", options.d_k, torch::kInt);
        flag(attention + "/rotary_interleave", 1);
        add(attention + "/rotary_base", options.rotary_base, torch::kFloat);
      }
      if (has_usual_head_size(options)) continue;
      add(attention + "/head_dim", options.d_k, torch::kInt);
      if (side == "decoder" && source)
        add(fmt::format("{}/layer_{}/attention/head_dim", side, i), options.d_k, torch::kInt);
    }
  }
  // Options of other architectures. CTranslate2's own converters write them, too.
  for (const auto* name : {"alibi_use_positive_positions", "scale_alibi", "start_from_zero_embedding"})
    flag(std::string("decoder/") + name, 0);
  flag("decoder/alibi", options.positions == nn::Positions::alibi ? 1 : 0);
  if (source)
    for (const auto* name : {"encoder/embeddings_merge", "encoder/multi_query_attention"}) flag(name, 0);
  add("decoder/alignment_layer", -1, torch::kShort);
  add("decoder/alignment_heads", 1, torch::kShort);
  return all;
}

void check_ctranslate2_layers(const ModelOptions& options) {
  check_no_variants(options, "CTranslate2");
  if (!models::stacks_of(options).encoder) return check_language_layers(options);
  check_paper_layers(options, "CTranslate2");
  check_vector_positions(options, "CTranslate2");
}

}  // namespace transformer::formats
