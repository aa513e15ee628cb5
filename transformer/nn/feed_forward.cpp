#include "transformer/nn/feed_forward.h"

#include "transformer/nn/dropout.h"

namespace transformer::nn {
namespace {

torch::Tensor activate(const torch::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return torch::relu(x);
    case Activation::gelu:
      return torch::gelu(x);
    case Activation::swish:
      return torch::silu(x);
  }
  TORCH_CHECK(false, "unknown activation ", static_cast<int>(activation));
}

}  // namespace

FeedForwardImpl::FeedForwardImpl(const FeedForwardOptions& options) : options_(options) {
  inner = register_module("inner", torch::nn::Linear(options.d_model, options.d_ff));
  outer = register_module("outer", torch::nn::Linear(options.d_ff, options.d_model));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  return outer(nn::dropout(activate(inner(x), options_.activation), options_.dropout, is_training()));
}

}  // namespace transformer::nn
