#include "transformer/engine/support.h"

#include "transformer/variants/choice.h"

namespace transformer::engine {

std::optional<std::string> unsupported(const models::ModelOptions& options) {
  if (const auto variants = variants::describe(options.variants); !variants.empty()) return variants.front();
  using O = models::ModelOptions;
  auto layers = options;
  if (models::stacks_of(options).decoder) layers.kind = {};
  return models::other_option(
      layers, [](auto value) { return about(value).in_engine; }, &O::attention_dropout,
      &O::activation_dropout, &O::attention_scale, &O::attention_window, &O::kv_heads, &O::qk_norm,
      &O::attention_bias, &O::output_bias, &O::scale_embedding, &O::embedding_norm, &O::norm_epsilon,
      &O::rotary_base, &O::max_positions, &O::relative_distance);
}

std::string declined(const std::string& option) {
  return "the engine for CPUs does not know " + option +
         ": the model's modules translate, which takes longer";
}

}  // namespace transformer::engine
