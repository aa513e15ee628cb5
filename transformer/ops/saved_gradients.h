// Gradients of a loss that were formed with it, where its logits lay.
#pragma once

#include <torch/autograd.h>
#include <torch/types.h>

#include <cstdint>

namespace transformer::ops {

/// To be called by forward(). type: of the first `states` gradients, when backward() returns them; the others
/// keep theirs. Undefined ones stay so.
inline void save_gradients(torch::autograd::AutogradContext* context,
                           const torch::autograd::variable_list& gradients, std::int64_t states,
                           torch::ScalarType type) {
  context->save_for_backward(gradients);
  context->saved_data["states"] = states;
  context->saved_data["type"] = static_cast<std::int64_t>(type);
}

/// For backward(): the gradients times what the loss's own is, (), and as many undefined ones behind them as
/// there are arguments without any. That factor, 1 / the number of tokens, would be wrong by up to 0.4 % in
/// bf16, and so would a gradient that was rounded to bf16 before: both for all states alike.
inline torch::autograd::variable_list saved_gradients(torch::autograd::AutogradContext* context,
                                                      const torch::Tensor& received, std::size_t arguments) {
  auto gradients = context->get_saved_variables();
  const auto states = static_cast<std::size_t>(context->saved_data["states"].toInt());
  const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    auto& gradient = gradients[i];
    if (gradient.defined()) gradient = gradient * received.to(gradient.scalar_type());
    if (i < states) gradient = gradient.to(type);
  }
  gradients.resize(arguments);
  return gradients;
}

}  // namespace transformer::ops
