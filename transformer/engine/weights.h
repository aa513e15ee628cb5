// What a packed model is made from: the weights of a model by the names that they have in model.safetensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace transformer::engine {

/// One after another in the order of the sizes, the last of which is contiguous. Not owned.
struct Weight {
  std::vector<std::int64_t> sizes;
  const float* values = nullptr;
};

using Weights = std::map<std::string, Weight>;

}  // namespace transformer::engine
