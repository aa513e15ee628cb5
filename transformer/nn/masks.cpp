#include "transformer/nn/masks.h"

namespace transformer::nn {

torch::Tensor padding_mask(const torch::Tensor& ids, std::int64_t pad) {
  return ids.ne(pad).unsqueeze(1).unsqueeze(1);
}

torch::Tensor causal_mask(std::int64_t length, const torch::Device& device) {
  const auto options = torch::TensorOptions(torch::kBool).device(device);
  return torch::ones({1, 1, length, length}, options).tril_();
}

}  // namespace transformer::nn
