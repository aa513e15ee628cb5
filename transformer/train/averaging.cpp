#include "transformer/train/averaging.h"

#include <fmt/format.h>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/io/safetensors.h"

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

std::vector<std::pair<std::string, torch::Tensor>> average_weights(
    const std::vector<std::filesystem::path>& directories) {
  std::map<std::string, torch::Tensor> sums, first;
  for (const auto& directory : directories) {
    verify_checksums(directory, {store::kWeightsFile});
    auto weights = io::load_weights(directory / store::kWeightsFile);
    if (sums.empty()) {
      first = weights;
      for (const auto& [name, weight] : weights) sums[name] = torch::zeros_like(weight, torch::kDouble);
    }
    add(sums, weights, directory);
  }
  std::vector<std::pair<std::string, torch::Tensor>> means;
  means.reserve(sums.size());
  for (const auto& [name, sum] : sums)
    means.emplace_back(name, (sum / static_cast<double>(directories.size())).to(first[name].scalar_type()));
  return means;
}

store::LoadedModel average_model(const std::vector<std::filesystem::path>& directories) {
  const auto weights = average_weights(directories);
  store::LoadedModel loaded;
  loaded.directory = directories.back();
  loaded.experiment = store::load_model_experiment(loaded.directory);
  loaded.tokenizers = store::load_tokenizers(loaded.directory);
  loaded.model = models::EncoderDecoder(loaded.experiment.model, loaded.tokenizers.sizes());
  store::assign_weights(loaded.model, {weights.begin(), weights.end()},
                        (loaded.directory / store::kWeightsFile).string());
  loaded.model->eval();
  return loaded;
}

}  // namespace transformer::train
