#include "transformer/nn/init.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>

#include "transformer/nn/embedding.h"
#include "transformer/nn/multi_head_attention.h"
#include "transformer/nn/norm.h"
#include "transformer/nn/positional_encoding.h"

namespace transformer::nn {
namespace {

void initialize_vectors(torch::Tensor& weight) {
  torch::nn::init::normal_(weight, 0.0, std::pow(static_cast<double>(weight.size(1)), -0.5));
}

void initialize_one(torch::nn::Module& module) {
  if (auto* embedding = module.as<Embedding>()) {
    initialize_vectors(embedding->weight);
  } else if (auto* positions = module.as<PositionalEncoding>()) {
    if (positions->weight.defined()) initialize_vectors(positions->weight);
  } else if (auto* attention = module.as<MultiHeadAttention>()) {
    for (auto* vectors : {&attention->score_weight, &attention->distance_keys, &attention->distance_values})
      if (vectors->defined()) initialize_vectors(*vectors);
  } else if (auto* linear = module.as<torch::nn::Linear>()) {
    torch::nn::init::xavier_uniform_(linear->weight);
    if (linear->bias.defined()) linear->bias.zero_();
  } else if (auto* norm = module.as<Norm>()) {
    norm->reset_parameters();
  } else if (auto* of_a_variant = module.as<torch::nn::LayerNorm>()) {
    of_a_variant->reset_parameters();
  }
}

}  // namespace

void initialize(torch::nn::Module& root) {
  const torch::NoGradGuard no_gradients;
  initialize_one(root);  // apart, because a module that is still being constructed cannot list itself
  for (const auto& module : root.modules(/*include_self=*/false)) initialize_one(*module);
}

}  // namespace transformer::nn
