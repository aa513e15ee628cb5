// Random models of every kind whose numbers stay of the usual size, and what they learn.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "transformer/models/encoder_decoder.h"

namespace transformer::test {

/// Makes the weights of some models smaller. Their scores would be so large that a softmax becomes a maximum,
/// and several layers would turn rounding errors into other words. These are models that do not divide scores
/// by √d_k, and models that do not normalise activations. The weights of other models stay.
inline models::EncoderDecoder steady(models::EncoderDecoder model) {
  const auto& options = model->options();
  const double of_queries = options.attention_scale ? 1 : 1.5 / std::sqrt(static_cast<double>(options.d_k));
  // Random statistics are not those of the activations.
  const bool normalised = nn::weights_of(options.norm_type) > 0 && nn::statistics_of(options.norm_type) == 0;
  const double of_layers = normalised ? 1 : 0.5;
  const torch::NoGradGuard no_gradients;
  for (const auto& parameter : model->named_parameters()) {
    if (parameter.key().find("attention.query.") != std::string::npos) parameter.value().mul_(of_queries);
    if (parameter.key().find(".layers.") != std::string::npos) parameter.value().mul_(of_layers);
  }
  return model;
}

/// The parameters that have gradients, with their names.
inline std::vector<std::pair<std::string, torch::Tensor>> learned(models::EncoderDecoder& model) {
  std::vector<std::pair<std::string, torch::Tensor>> parameters;
  for (const auto& parameter : model->named_parameters())
    if (parameter.value().requires_grad()) parameters.emplace_back(parameter.key(), parameter.value());
  return parameters;
}

inline std::vector<torch::Tensor> learned_tensors(models::EncoderDecoder& model) {
  std::vector<torch::Tensor> tensors;
  for (auto& [name, tensor] : learned(model)) tensors.push_back(tensor);
  return tensors;
}

}  // namespace transformer::test
