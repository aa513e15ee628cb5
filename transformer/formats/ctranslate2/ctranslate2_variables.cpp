#include "transformer/formats/ctranslate2/ctranslate2_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "transformer/base/error.h"
#include "transformer/formats/ctranslate2/ctranslate2_parts.h"
#include "transformer/nn/positional_encoding.h"

namespace transformer::formats {
namespace {

using models::ModelOptions;
using nn::Tie;

/// Their variables, from which the options and then our parameters are read.
class Variables {
 public:
  Variables(const CTranslate2File& file, const std::string& source) : file_(file), source_(source) {}

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", source_, problem));
  }

  bool has(const std::string& name) const {
    return file_.variables.contains(name) || file_.aliases.contains(name);
  }

  const torch::Tensor& get(const std::string& name) const {
    const auto alias = file_.aliases.find(name);
    const auto found = file_.variables.find(alias == file_.aliases.end() ? name : alias->second);
    if (found == file_.variables.end()) refuse(fmt::format("'{}' is missing", name));
    return found->second;
  }

  torch::Tensor weight(const std::string& name) const {
    const auto& numbers = get(name);
    if (numbers.scalar_type() != torch::kFloat || numbers.dim() < 1)
      refuse(fmt::format("'{}': expected a vector or matrix of float32", name));
    return numbers;
  }

  torch::Tensor matrix(const std::string& name) const {
    auto numbers = weight(name);
    if (numbers.dim() != 2) refuse(fmt::format("'{}': expected 2 dimensions, found {}", name, numbers.dim()));
    return numbers;
  }

  double number(const std::string& name) const {
    const auto& found = get(name);
    if (found.dim() != 0) refuse(fmt::format("'{}': expected one number", name));
    return found.to(torch::kDouble).item<double>();
  }

  std::int64_t attribute(const std::string& name) const {
    const auto value = number(name);
    if (!(std::abs(value) <= std::numeric_limits<std::int16_t>::max()))
      refuse(fmt::format("'{}': expected an integer of 16 bits, found {}", name, value));
    return static_cast<std::int64_t>(value);
  }

  ModelOptions options() const {
    auto options = kind();
    const auto side = ctranslate2_specification(options).sides.front(), layer = side + "/layer_0",
               attention = layer + "/self_attention";
    if (!options.kind) options.encoder_layers = layers("encoder");
    options.decoder_layers = layers("decoder");
    options.heads = attribute(side + "/num_heads");
    options.d_model = matrix("decoder/embeddings/weight").size(1);
    options.d_ff = matrix(layer + "/ffn/linear_0/weight").size(0);
    const auto width = matrix(attention + "/linear_1/weight").size(1);
    if (options.heads < 1 || width % options.heads != 0)
      refuse(fmt::format("'{}/num_heads': expected a divisor of {}, found {}", side, width, options.heads));
    options.d_k = options.d_v = width / options.heads;
    if (has(attention + "/num_heads_kv")) options.kv_heads = attribute(attention + "/num_heads_kv");
    if (options.kv_heads < 0 || (options.kv_heads > 0 && options.heads % options.kv_heads != 0))
      refuse(fmt::format("'{}/num_heads_kv': expected a divisor of {}, found {}", attention, options.heads,
                         options.kv_heads));
    options.qk_norm = has(attention + "/q_norm/gamma");
    options.scale_embedding = attribute(side + "/scale_embeddings") != 0;
    if (has("decoder/position_encodings/encodings")) {
      options.positions = nn::Positions::learned;
      options.max_positions = matrix("decoder/position_encodings/encodings").size(0);
    } else {
      options.positions = attribute("decoder/alibi") != 0 ? nn::Positions::alibi : nn::Positions::rotary;
    }
    if (nn::are_rotary(options.positions)) options.rotary_base = number(attention + "/rotary_base");
    options.norm = attribute(side + "/pre_norm") != 0 ? nn::NormPlacement::pre : nn::NormPlacement::post;
    if (!has(layer + "/ffn/layer_norm/beta")) options.norm_type = nn::NormKind::rms;
    // A number that no activation of ours has is refused where all attributes are compared.
    const auto activation = attribute(side + "/activation");
    options.activation = nn::Activation::gelu;
    for (const auto ours : all_values<nn::Activation>())
      if (activation == ctranslate2_number(ours)) options.activation = ours;
    if (has(layer + "/ffn/linear_0_noact/weight")) {
      options.feed_forward = options.activation == nn::Activation::swish       ? nn::FeedForwardKind::swiglu
                             : options.activation == nn::Activation::gelu_tanh ? nn::FeedForwardKind::geglu
                                                                               : nn::FeedForwardKind::glu;
      options.activation = ModelOptions{}.activation;
    }
    options.attention_bias = has(attention + "/linear_0/bias");
    options.output_bias = has("decoder/projection/bias");
    options.tie = !is_alias("decoder/projection/weight")    ? Tie::none
                  : options.kind                            ? Tie::all
                  : is_alias("encoder/embeddings_0/weight") ? Tie::all
                                                            : Tie::target;
    return options;
  }

  /// Refuses variables that none of the model's are, and attributes with other values than its own.
  void expect_only(const std::vector<CTranslate2Part>& parts, const ModelOptions& options) const {
    const auto attributes = ctranslate2_attributes(options);
    for (const auto& [name, expected] : attributes)
      if (number(name) != expected.item().toDouble())
        refuse(fmt::format("'{}': expected {}, found {}", name, expected.item().toDouble(), number(name)));
    const auto known = [&](const std::string& name) {
      return attributes.contains(name) ||
             std::ranges::find(parts, name, &CTranslate2Part::theirs) != parts.end();
    };
    for (const auto& [name, ignored] : file_.variables)
      if (!known(name)) refuse(fmt::format("holds '{}', which no model of ours has", name));
    for (const auto& [name, ignored] : file_.aliases)
      if (!known(name)) refuse(fmt::format("holds '{}', which no model of ours has", name));
  }

  /// Options that name its kind, and nothing else.
  ModelOptions kind() const {
    const auto& known = ctranslate2_specifications();
    for (const auto& each : known) {
      if (file_.specification != each.name || file_.revision != each.revision) continue;
      ModelOptions options;
      if (&each != &known.front()) options.kind.name = models::kDecoder;
      return options;
    }
    refuse(fmt::format("expected {} in revision {} or {} in revision {}, found {} in revision {}",
                       known[0].name, known[0].revision, known[1].name, known[1].revision,
                       file_.specification, file_.revision));
  }

 private:
  bool is_alias(const std::string& name) const {
    const auto found = file_.aliases.find(name);
    return found != file_.aliases.end() && found->second == "decoder/embeddings/weight";
  }

  std::int64_t layers(const std::string& side) const {
    std::int64_t count = 0;
    while (has(fmt::format("{}/layer_{}/self_attention/linear_0/weight", side, count))) ++count;
    return count;
  }

  const CTranslate2File& file_;
  const std::string& source_;
};

}  // namespace

CTranslate2File ctranslate2_variables(Weights weights, ModelOptions options, std::int64_t positions) {
  check_ctranslate2_layers(options);
  if (options.heads > std::numeric_limits<std::int16_t>::max())
    throw InputError(fmt::format("model.heads: CTranslate2 has at most {}, found {}",
                                 std::numeric_limits<std::int16_t>::max(), options.heads));
  if (nn::are_rotary(options.positions) || options.qk_norm) {
    pad_values(weights, options, "CTranslate2");
  } else {
    const auto least = std::max(options.d_k, options.d_v), usual = options.d_model / options.heads;
    const bool fits = options.d_model % options.heads == 0 && least <= usual;
    pad_heads(weights, options, fits ? usual : least);
  }
  if (nn::are_sinusoids(options.positions))
    weights[kSinusoidTable] = nn::sinusoids(options.positions, positions, options.d_model);

  CTranslate2File file{.specification = ctranslate2_specification(options).name,
                       .revision = ctranslate2_specification(options).revision,
                       .variables = ctranslate2_attributes(options),
                       .aliases = {}};
  std::map<std::string, std::string> first;  // our name → theirs that holds it
  for (const auto& [theirs, ours] : ctranslate2_parts(options)) {
    std::vector<torch::Tensor> rows;
    for (const auto& name : ours) rows.push_back(weights.at(name));
    const auto [place, is_new] = first.emplace(ours.front(), theirs);
    if (is_new) {
      file.variables.emplace(theirs, rows.size() == 1 ? rows.front() : torch::cat(rows));
    } else {
      file.aliases.emplace(theirs, place->second);
    }
  }
  return file;
}

CTranslate2Model model_of_variables(const CTranslate2File& file, const std::string& source) {
  const Variables variables(file, source);
  CTranslate2Model model;
  model.options = variables.options();
  const auto words = [&](const char* name) { return variables.matrix(name).size(0); };
  model.vocabulary.target = words("decoder/embeddings/weight");
  model.vocabulary.source =
      model.options.kind ? model.vocabulary.target : words("encoder/embeddings_0/weight");
  const auto parts = ctranslate2_parts(model.options);
  variables.expect_only(parts, model.options);
  for (const auto& [theirs, ours] : parts) {
    const auto joined = variables.weight(theirs);
    std::vector<std::int64_t> rows{joined.size(0)};
    if (ours.size() > 1) rows.clear();
    for (std::size_t i = 0; i < ours.size() && ours.size() > 1; ++i)
      rows.push_back(model.options.d_k * (ours[i].find(".query.") != std::string::npos
                                              ? model.options.heads
                                              : models::kv_heads_of(model.options)));
    if (const auto sum = std::accumulate(rows.begin(), rows.end(), std::int64_t{0}); sum != joined.size(0))
      variables.refuse(fmt::format("'{}': expected {} rows, found {}", theirs, sum, joined.size(0)));
    const auto pieces = joined.split_with_sizes(rows);
    for (std::size_t i = 0; i < ours.size(); ++i) model.weights.insert_or_assign(ours[i], pieces[i]);
  }
  return model;
}

}  // namespace transformer::formats
