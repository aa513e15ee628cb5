#include "transformer/ops/angles.h"

#include <vector>

#include "transformer/nn/frequencies.h"

namespace transformer::ops {

torch::Tensor angles_at(const torch::Tensor& positions, std::int64_t count, double denominator, double base) {
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < count; ++i) frequencies.push_back(nn::frequency(i, denominator, base));
  const auto places = positions.to(torch::kDouble).unsqueeze(-1);  // (T, 1)
  // Onto the device of a tensor, not of a name: a trace runs where its tensors are.
  return places * torch::tensor(frequencies, torch::kDouble).to(places);
}

}  // namespace transformer::ops
