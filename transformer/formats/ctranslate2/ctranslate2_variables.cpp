#include "transformer/formats/ctranslate2/ctranslate2_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "transformer/base/error.h"
#include "transformer/nn/positional_encoding.h"

namespace transformer::formats {
namespace {

using models::ModelOptions;
using nn::Tie;

constexpr const char* kSpecification = "TransformerSpec";
constexpr std::uint32_t kRevision = 7;
/// Our name of a table of sinusoids, which serves both sides and is no parameter.
constexpr const char* kSinusoids = "sinusoids";

/// One of CTranslate2's variables: our parameters of these names, one below another.
struct Part {
  std::string theirs;
  std::vector<std::string> ours;
};

/// All variables that hold weights.
class Parts {
 public:
  explicit Parts(const ModelOptions& options) : options_(options) {
    const bool learned = nn::are_learned_vectors(options.positions);
    const bool all = nn::ties_embeddings(options.tie);
    const std::string target = all ? "embedding.weight" : "target_embedding.weight";
    // The decoder first: of a tied matrix's names, theirs is the first of the alphabet.
    add("decoder/embeddings/weight", {target});
    add("decoder/projection/weight", {nn::ties_output(options.tie) ? target : "output.weight"});
    if (options.output_bias) add("decoder/projection/bias", {"output_bias"});
    add("decoder/position_encodings/encodings", {learned ? "target_positions.weight" : kSinusoids});
    stack("decoder", options.decoder_layers);
    add("encoder/embeddings_0/weight", {all ? target : "source_embedding.weight"});
    add("encoder/position_encodings/encodings", {learned ? "source_positions.weight" : kSinusoids});
    stack("encoder", options.encoder_layers);
  }

  const std::vector<Part>& all() const { return parts_; }

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
    add(theirs + "/layer_norm/beta", {ours + ".bias"});
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
  }

  void stack(const std::string& side, std::int64_t layers) {
    for (std::int64_t i = 0; i < layers; ++i) {
      const auto theirs = fmt::format("{}/layer_{}", side, i), ours = fmt::format("{}.layers.{}", side, i);
      attention(theirs + "/self_attention", ours + ".self_attention", {{"query", "key", "value"}});
      if (side == "decoder")
        attention(theirs + "/attention", ours + ".source_attention", {{"query"}, {"key", "value"}});
      linear(theirs + "/ffn/linear_0", {ours + ".feed_forward.inner"}, true);
      linear(theirs + "/ffn/linear_1", {ours + ".feed_forward.outer"}, true);
      norm(theirs + "/ffn", ours + ".feed_forward_residual.norm");
    }
    if (nn::norm_comes_first(options_.norm)) norm(side, side + ".norm");
  }

  ModelOptions options_;
  std::vector<Part> parts_;
};

/// In the order of CTranslate2's enumeration; between them lies its approximation of gelu by tanh.
std::int64_t number_of(nn::Activation activation) {
  if (activation == nn::Activation::relu) return 0;
  if (activation == nn::Activation::swish) return 2;
  if (activation == nn::Activation::gelu) return 3;
  nn::no_such_choice();  // its row says in_exports, and there is no number
}

bool has_usual_head_size(const ModelOptions& options) {
  return options.d_k * options.heads == options.d_model;
}

/// The variables that are no weights. options.d_k is the size of all heads.
std::map<std::string, torch::Tensor> attributes(const ModelOptions& options) {
  std::map<std::string, torch::Tensor> all;
  const auto add = [&](const std::string& name, std::int64_t value, torch::ScalarType type) {
    all.emplace(name, torch::tensor(value, type));
  };
  const auto flag = [&](const std::string& name, std::int64_t value) { add(name, value, torch::kChar); };
  for (const std::string side : {"encoder", "decoder"}) {
    add(side + "/num_heads", options.heads, torch::kShort);
    flag(side + "/pre_norm", nn::norm_comes_first(options.norm) ? 1 : 0);
    flag(side + "/activation", number_of(options.activation));
    flag(side + "/scale_embeddings", 1);
    if (has_usual_head_size(options)) continue;
    const auto layers = side == "encoder" ? options.encoder_layers : options.decoder_layers;
    for (std::int64_t i = 0; i < layers; ++i) {
      add(fmt::format("{}/layer_{}/self_attention/head_dim", side, i), options.d_k, torch::kInt);
      if (side == "decoder")
        add(fmt::format("{}/layer_{}/attention/head_dim", side, i), options.d_k, torch::kInt);
    }
  }
  // Options of other architectures. CTranslate2's own converters write them, too.
  for (const auto* name :
       {"encoder/embeddings_merge", "encoder/multi_query_attention", "decoder/alibi",
        "decoder/alibi_use_positive_positions", "decoder/scale_alibi", "decoder/start_from_zero_embedding"})
    flag(name, 0);
  add("decoder/alignment_layer", -1, torch::kShort);
  add("decoder/alignment_heads", 1, torch::kShort);
  return all;
}

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

  std::int64_t attribute(const std::string& name) const {
    const auto& number = get(name);
    if (number.dim() != 0) refuse(fmt::format("'{}': expected one number", name));
    return number.to(torch::kLong).item<std::int64_t>();
  }

  ModelOptions options() const {
    ModelOptions options;
    options.encoder_layers = layers("encoder");
    options.decoder_layers = layers("decoder");
    options.heads = attribute("encoder/num_heads");
    options.d_model = matrix("decoder/embeddings/weight").size(1);
    options.d_ff = matrix("encoder/layer_0/ffn/linear_0/weight").size(0);
    const auto width = matrix("encoder/layer_0/self_attention/linear_1/weight").size(1);
    if (options.heads < 1 || width % options.heads != 0)
      refuse(fmt::format("'encoder/num_heads': expected a divisor of {}, found {}", width, options.heads));
    options.d_k = options.d_v = width / options.heads;
    options.positions = nn::Positions::learned;
    options.max_positions = matrix("decoder/position_encodings/encodings").size(0);
    options.norm = attribute("encoder/pre_norm") != 0 ? nn::NormPlacement::pre : nn::NormPlacement::post;
    // A number that no activation of ours has, such as 1, is refused where all attributes are compared.
    options.activation = nn::Activation::gelu;
    for (const auto activation : all_values<nn::Activation>())
      if (about(activation).in_exports && attribute("encoder/activation") == number_of(activation))
        options.activation = activation;
    options.attention_bias = has("encoder/layer_0/self_attention/linear_0/bias");
    options.output_bias = has("decoder/projection/bias");
    options.tie = !is_alias("decoder/projection/weight")    ? Tie::none
                  : is_alias("encoder/embeddings_0/weight") ? Tie::all
                                                            : Tie::target;
    return options;
  }

  /// Refuses variables that none of the model's are, and attributes with other values than its own.
  void expect_only(const std::vector<Part>& parts, const ModelOptions& options) const {
    const auto attributes = formats::attributes(options);
    for (const auto& [name, expected] : attributes)
      if (attribute(name) != expected.item().toLong())
        refuse(fmt::format("'{}': expected {}, found {}", name, expected.item().toLong(), attribute(name)));
    const auto known = [&](const std::string& name) {
      return attributes.contains(name) || std::ranges::find(parts, name, &Part::theirs) != parts.end();
    };
    for (const auto& [name, ignored] : file_.variables)
      if (!known(name)) refuse(fmt::format("holds '{}', which no model of ours has", name));
    for (const auto& [name, ignored] : file_.aliases)
      if (!known(name)) refuse(fmt::format("holds '{}', which no model of ours has", name));
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
  check_no_variants(options, "CTranslate2");
  check_paper_layers(options, "CTranslate2");
  check_vector_positions(options, "CTranslate2");
  if (options.heads > std::numeric_limits<std::int16_t>::max())
    throw InputError(fmt::format("model.heads: CTranslate2 has at most {}, found {}",
                                 std::numeric_limits<std::int16_t>::max(), options.heads));
  const auto least = std::max(options.d_k, options.d_v), usual = options.d_model / options.heads;
  const bool fits = options.d_model % options.heads == 0 && least <= usual;
  pad_heads(weights, options, fits ? usual : least);
  if (nn::are_sinusoids(options.positions))
    weights[kSinusoids] = nn::sinusoids(options.positions, positions, options.d_model);

  CTranslate2File file{.specification = kSpecification,
                       .revision = kRevision,
                       .variables = attributes(options),
                       .aliases = {}};
  std::map<std::string, std::string> first;  // our name → theirs that holds it
  const Parts parts(options);
  for (const auto& [theirs, ours] : parts.all()) {
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
  if (file.specification != kSpecification || file.revision != kRevision)
    variables.refuse(fmt::format("expected {} in revision {}, found {} in revision {}", kSpecification,
                                 kRevision, file.specification, file.revision));
  CTranslate2Model model;
  model.options = variables.options();
  model.vocabulary = {variables.matrix("encoder/embeddings_0/weight").size(0),
                      variables.matrix("decoder/embeddings/weight").size(0)};
  const Parts parts(model.options);
  variables.expect_only(parts.all(), model.options);
  for (const auto& [theirs, ours] : parts.all()) {
    const auto joined = variables.weight(theirs);
    const auto count = static_cast<std::int64_t>(ours.size());
    if (joined.size(0) % count != 0)
      variables.refuse(
          fmt::format("'{}': expected {} equal parts, found {} rows", theirs, count, joined.size(0)));
    const auto pieces = joined.chunk(count);
    for (std::size_t i = 0; i < ours.size(); ++i) model.weights.insert_or_assign(ours[i], pieces[i]);
  }
  return model;
}

}  // namespace transformer::formats
