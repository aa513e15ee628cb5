#include "transformer/train/task.h"

#include "transformer/base/error.h"

namespace transformer::train {

std::string Task::begin_from(const std::filesystem::path& /*model*/, NewPieces /*new_pieces*/,
                             bool /*reported*/) {
  throw InputError("train.from: expected nothing, since this task cannot begin from trained weights");
}

torch::Device device_of(const torch::nn::Module& module) {
  return module.parameters().front().device();
}

std::int64_t count_parameters(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const auto& value : module.parameters())
    if (value.requires_grad()) count += value.numel();
  return count;
}

}  // namespace transformer::train
