#include "transformer/ops/angles.h"

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "transformer/nn/frequencies.h"
#include "transformer/ops/tracing.h"

namespace transformer::ops {
namespace {

torch::Tensor frequencies_of(std::int64_t count, double denominator, double base) {
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < count; ++i) frequencies.push_back(nn::frequency(i, denominator, base));
  return torch::tensor(frequencies, torch::kDouble);
}

/// On a device they are kept: each copy there would make the host wait.
torch::Tensor frequencies_for(const torch::Tensor& places, std::int64_t count, double denominator,
                              double base) {
  // Onto the device of a tensor, not of a name: a trace runs where its tensors are.
  if (places.is_cpu() || tracing()) return frequencies_of(count, denominator, base).to(places);
  using Key = std::tuple<std::string, std::int64_t, double, double>;
  static std::mutex mutex;
  static auto* known = new std::map<Key, torch::Tensor>;  // a device may end before what is static
  const std::lock_guard lock(mutex);
  auto& found = (*known)[{places.device().str(), count, denominator, base}];
  if (!found.defined()) found = frequencies_of(count, denominator, base).to(places);
  return found;
}

}  // namespace

torch::Tensor angles_at(const torch::Tensor& positions, std::int64_t count, double denominator, double base) {
  const auto places = positions.to(torch::kDouble).unsqueeze(-1);  // (T, 1)
  return places * frequencies_for(places, count, denominator, base);
}

}  // namespace transformer::ops
