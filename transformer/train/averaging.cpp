#include "transformer/train/averaging.h"

#include <fmt/format.h>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/safetensors.h"

namespace transformer::train {
namespace {

void add(std::map<std::string, torch::Tensor>& sums, const std::map<std::string, torch::Tensor>& weights,
         const std::filesystem::path& directory) {
  if (weights.size() != sums.size())
    throw InputError(fmt::format("{}: expected the {} weights of the first checkpoint, found {}",
                                 directory.string(), sums.size(), weights.size()));
  for (auto& [name, sum] : sums) {
    const auto found = weights.find(name);
    if (found == weights.end() || found->second.sizes() != sum.sizes())
      throw InputError(fmt::format("{}: '{}' is missing or has another shape than in the first checkpoint",
                                   directory.string(), name));
    sum += found->second;
  }
}

}  // namespace

checkpoints::NamedTensors average_weights(const std::vector<std::filesystem::path>& directories) {
  std::map<std::string, torch::Tensor> sums, first;
  for (const auto& directory : directories) {
    verify_checksums(directory, {checkpoints::kWeightsFile});
    auto weights = checkpoints::load_weights(directory / checkpoints::kWeightsFile);
    if (sums.empty()) {
      first = weights;
      for (const auto& [name, weight] : weights) sums[name] = torch::zeros_like(weight, torch::kDouble);
    }
    add(sums, weights, directory);
  }
  checkpoints::NamedTensors means;
  means.reserve(sums.size());
  for (const auto& [name, sum] : sums)
    means.emplace_back(name, (sum / static_cast<double>(directories.size())).to(first[name].scalar_type()));
  return means;
}

}  // namespace transformer::train
