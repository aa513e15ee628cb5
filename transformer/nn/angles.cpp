#include "transformer/nn/angles.h"

#include <cmath>

namespace transformer::nn {

torch::Tensor angles_at(const torch::Tensor& positions, std::int64_t count, double denominator) {
  const auto exponents = torch::arange(count, torch::kDouble) / denominator;
  const auto places = positions.to(torch::kDouble).unsqueeze(-1);  // (T, 1)
  // Onto the device of a tensor, not of a name: a recording runs where its tensors are.
  return places * torch::exp(exponents * -std::log(10000.0)).to(places);
}

}  // namespace transformer::nn
