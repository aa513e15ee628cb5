#include "transformer/engine/support.h"

#include "transformer/variants/choice.h"

namespace transformer::engine {
namespace {

using Answer = std::optional<std::string>;

Answer unsupported(nn::Positions positions) {
  const auto scheme = nn::scheme_of(positions);
  if (scheme.in_engine) return std::nullopt;
  return std::string("model.positions: ") + scheme.name;
}

Answer unsupported(nn::NormPlacement norm) {
  switch (norm) {
    case nn::NormPlacement::post:
    case nn::NormPlacement::pre:
      return std::nullopt;
    case nn::NormPlacement::sandwich:
      return std::string("model.norm: ") + nn::name_of(norm);
  }
  nn::no_such_choice();
}

Answer unsupported(nn::NormKind kind) {
  switch (kind) {
    case nn::NormKind::layer:
    case nn::NormKind::rms:
      return std::nullopt;
    case nn::NormKind::batch:
    case nn::NormKind::none:
      return std::string("model.norm_type: ") + nn::name_of(kind);
  }
  nn::no_such_choice();
}

Answer unsupported(nn::FeedForwardKind kind) {
  switch (kind) {
    case nn::FeedForwardKind::positionwise:
    case nn::FeedForwardKind::glu:
    case nn::FeedForwardKind::swiglu:
      return std::nullopt;
    case nn::FeedForwardKind::none:
      return std::string("model.feed_forward: ") + nn::name_of(kind);
  }
  nn::no_such_choice();
}

Answer unsupported(nn::AttentionScore score) {
  switch (score) {
    case nn::AttentionScore::product:
      return std::nullopt;
    case nn::AttentionScore::additive:
      return std::string("model.attention_score: ") + nn::name_of(score);
  }
  nn::no_such_choice();
}

Answer unsupported(nn::Activation activation) {
  switch (activation) {
    case nn::Activation::relu:
    case nn::Activation::gelu:
    case nn::Activation::swish:
      return std::nullopt;
  }
  nn::no_such_choice();
}

Answer unsupported(nn::Tie tie) {
  switch (tie) {
    case nn::Tie::all:
    case nn::Tie::target:
    case nn::Tie::none:
      return std::nullopt;
  }
  nn::no_such_choice();
}

}  // namespace

std::optional<std::string> unsupported(const models::ModelOptions& options) {
  if (options.kind) return "model.kind: " + options.kind.name;
  for (auto answer :
       {unsupported(options.positions), unsupported(options.norm), unsupported(options.norm_type),
        unsupported(options.feed_forward), unsupported(options.attention_score),
        unsupported(options.activation), unsupported(options.tie)})
    if (answer) return answer;
  if (!options.residual) return "model.residual: false";
  if (options.parallel_sublayers) return "model.parallel_sublayers: true";
  if (const auto variants = variants::describe(options.variants); !variants.empty()) return variants.front();
  using O = models::ModelOptions;
  return models::newer_option(options, &O::attention_dropout, &O::activation_dropout, &O::positions, &O::norm,
                              &O::norm_type, &O::feed_forward, &O::activation, &O::attention_scale,
                              &O::attention_window, &O::kv_heads, &O::qk_norm, &O::attention_bias,
                              &O::output_bias, &O::tie, &O::norm_epsilon, &O::max_positions,
                              &O::relative_distance);
}

std::string declined(const std::string& option) {
  return "the engine for CPUs does not know " + option +
         ": the model's modules translate, which takes longer";
}

}  // namespace transformer::engine
