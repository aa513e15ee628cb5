#include "transformer/train/update_numbers.h"

#include <bit>

namespace transformer::train {

UpdateNumbers update_numbers(double divisor, double rate, std::uint64_t seed, const torch::Device& device) {
  const bool on_cpu = device.is_cpu();
  const auto host = torch::empty({3}, torch::TensorOptions(torch::kLong).pinned_memory(!on_cpu));
  auto* numbers = host.data_ptr<std::int64_t>();
  numbers[0] = std::bit_cast<std::int64_t>(divisor);
  numbers[1] = std::bit_cast<std::int32_t>(static_cast<float>(rate));  // the lower half
  numbers[2] = std::bit_cast<std::int64_t>(seed);
  const auto all = host.to(device, /*non_blocking=*/true);
  const auto bits = [&](std::int64_t i) { return all.narrow(0, i, 1); };
  UpdateNumbers result;
  result.memory = all;
  result.divisor = bits(0).view(torch::kDouble).squeeze(0);
  if (on_cpu) return result;
  result.rate = bits(1).view(torch::kFloat).narrow(0, 0, 1).squeeze(0);
  result.seed = bits(2);
  return result;
}

}  // namespace transformer::train
