#include "transformer/models/recurrent/attention.h"

#include <torch/nn/init.h>

#include <cmath>
#include <limits>

#include "transformer/ops/linear.h"
#include "transformer/ops/scores.h"

namespace transformer::models::recurrent {

using torch::Tensor;

SourceAttentionImpl::SourceAttentionImpl(Attention score, std::int64_t d_model) {
  const auto projection = torch::nn::LinearOptions(d_model, d_model).bias(false);
  key_ = register_module("key", torch::nn::Linear(projection));
  if (score != Attention::additive) return;
  query_ = register_module("query", torch::nn::Linear(projection));
  score_weight_ = register_parameter("score_weight", torch::empty({1, d_model}));
  torch::nn::init::normal_(score_weight_, 0.0, std::pow(static_cast<double>(d_model), -0.5));
}

Tensor SourceAttentionImpl::keys(const Tensor& states) {
  return ops::linear(states, key_->weight);
}

Attended SourceAttentionImpl::forward(const Tensor& queries, const Memory& memory) {
  const auto scores = query_ ? ops::additive_scores(ops::linear(queries, query_->weight).unsqueeze(1),
                                                    memory.keys.unsqueeze(1), score_weight_)
                                   .squeeze(1)
                             : torch::matmul(queries, memory.keys.transpose(1, 2));
  const auto weights =
      scores.masked_fill(memory.mask.logical_not(), -std::numeric_limits<double>::infinity()).softmax(-1);
  return {torch::matmul(weights.to(memory.states.scalar_type()), memory.states), weights};
}

}  // namespace transformer::models::recurrent
