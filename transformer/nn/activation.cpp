#include "transformer/nn/activation.h"

namespace transformer::nn {

torch::Tensor activated(const torch::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return torch::relu(x);
    case Activation::gelu:
      return torch::gelu(x);
    case Activation::gelu_tanh:
      return torch::gelu(x, "tanh");
    case Activation::swish:
      return torch::silu(x);
  }
  no_such_choice();
}

}  // namespace transformer::nn
