#include "transformer/nn/masks.h"

#include "transformer/ops/tracing.h"

namespace transformer::nn {

torch::Tensor padding_mask(const torch::Tensor& ids, std::int64_t pad) {
  return ids.ne(pad).unsqueeze(1).unsqueeze(1);
}

torch::Tensor causal_mask(std::int64_t length, const torch::Device& device) {
  const auto options = torch::TensorOptions(torch::kBool).device(device);
  return torch::ones({1, 1, length, length}, options).tril_();
}

torch::Tensor causal_mask_of(const torch::Tensor& x) {
  if (!ops::tracing()) return causal_mask(x.size(1), x.device());
  const auto text = x.select(0, 0);
  const auto places = ops::places_of(text.dim() == 1 ? text : text.select(1, 0));
  return places.unsqueeze(1).ge(places).unsqueeze(0).unsqueeze(0);
}

}  // namespace transformer::nn
