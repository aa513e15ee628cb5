#include "transformer/formats/weights.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <type_traits>

#include "transformer/base/error.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/keys.h"
#include "transformer/models/kinds.h"
#include "transformer/models/size.h"
#include "transformer/variants/choice.h"

namespace transformer::formats {
namespace {

/// The projection of attention that a parameter belongs to ("query", "key", "value", "output"), or nothing.
std::string_view attention_projection(std::string_view name) {
  const auto attention = name.find("_attention.");
  if (attention == std::string_view::npos) return {};
  name.remove_prefix(attention + std::string_view("_attention.").size());
  return name.substr(0, name.find('.'));
}

/// Rows (heads · old, …) → (heads · size, …), zeros behind each head's.
torch::Tensor pad_rows(const torch::Tensor& rows, std::int64_t heads, std::int64_t size) {
  const auto old = rows.unflatten(0, {heads, -1});
  auto sizes = old.sizes().vec();
  sizes[1] = size;
  auto padded = torch::zeros(sizes, rows.options());
  padded.narrow(1, 0, old.size(1)).copy_(old);
  return padded.flatten(0, 1);
}

}  // namespace

Weights weights_of(const models::AnyModel& model) {
  Weights weights;
  for (const auto& [name, tensor] : checkpoints::named_parameters(model))
    weights.emplace(name, tensor.detach().to(torch::kCPU, torch::kFloat).contiguous());
  return weights;
}

void check_no_variants(const models::ModelOptions& options, const char* format) {
  for (const auto& [kind, choice] : variants::chosen(options.variants))
    throw InputError(
        fmt::format("{}: expected none for {}, whose readers would compute something else, found {}",
                    variants::key_of(kind), format, variants::print(choice)));
}

void check_paper_layers(const models::ModelOptions& options, const char* format) {
  using O = models::ModelOptions;
  const auto knows = [](auto value) {
    if constexpr (std::is_same_v<decltype(value), nn::Positions>)
      return true;  // for check_vector_positions
    else
      return about(value).in_exports;
  };
  if (const auto other = models::other_option(
          options, knows, &O::attention_dropout, &O::activation_dropout, &O::attention_bias, &O::output_bias,
          &O::norm_epsilon, &O::rotary_base, &O::max_positions, &O::relative_distance, &O::variants))
    throw InputError(
        fmt::format("{}: {} has layers as the paper has them, and knows nothing of that", *other, format));
}

void check_vector_positions(const models::ModelOptions& options, const char* format) {
  if (nn::are_learned_vectors(options.positions) || nn::are_sinusoids(options.positions)) return;
  config::Experiment experiment;
  experiment.model = options;
  throw InputError(fmt::format("model.positions: expected sinusoids or learned vectors for {}, found {}",
                               format, config::find_key("model.positions")->get(experiment)));
}

void pad_heads(Weights& weights, models::ModelOptions& options, std::int64_t size) {
  TORCH_CHECK(options.d_k <= size && options.d_v <= size, "heads of ", options.d_k, " and ", options.d_v,
              " do not fit into ", size);
  const double scale = std::sqrt(static_cast<double>(size) / static_cast<double>(options.d_k));
  for (auto& [name, tensor] : weights) {
    const auto projection = attention_projection(name);
    if (projection == "query") {
      tensor = pad_rows(tensor * scale, options.heads, size);
    } else if (projection == "key" || projection == "value") {
      tensor = pad_rows(tensor, models::kv_heads_of(options), size);
    } else if (projection == "output" && tensor.dim() == 2) {
      tensor = pad_rows(tensor.t(), options.heads, size).t().contiguous();
    }
  }
  options.d_k = options.d_v = size;
}

void pad_values(Weights& weights, models::ModelOptions& options, const char* format) {
  if (options.d_v > options.d_k)
    throw InputError(
        fmt::format("model.d_v: expected at most model.d_k ({}) for {}, whose heads have one size, found {}",
                    options.d_k, format, options.d_v));
  pad_heads(weights, options, options.d_k);
}

void add_attention_biases(Weights& weights, models::ModelOptions& options) {
  constexpr std::string_view kWeight = ".weight";
  Weights biases;
  for (const auto& [name, tensor] : weights) {
    if (attention_projection(name).empty() || !name.ends_with(kWeight)) continue;
    biases.emplace(name.substr(0, name.size() - kWeight.size()) + ".bias", torch::zeros(tensor.size(0)));
  }
  weights.merge(biases);  // those that are there stay
  options.attention_bias = true;
}

models::AnyModel model_with(const Weights& weights, const models::ModelOptions& options,
                            const models::VocabularySizes& vocabulary, const std::string& source) {
  // Before options take memory for a model that these weights cannot fill.
  std::int64_t found = 0;
  for (const auto& [name, tensor] : weights) found += tensor.numel();
  const auto expected =
      models::count_parameters(options, vocabulary).total() + models::count_statistics(options);
  if (found != expected)
    throw InputError(fmt::format("{}: expected {} weights, found {}", source, expected, found));
  auto model = models::make(options, vocabulary);
  checkpoints::assign_weights(*model, weights, source);
  model->eval();
  return model;
}

}  // namespace transformer::formats
