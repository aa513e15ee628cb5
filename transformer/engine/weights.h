// The weights that a packed model is made from, by their names in model.safetensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace transformer::engine {

/// Numbers in the order of the sizes; the last dimension is contiguous. Not owned.
struct Weight {
  std::vector<std::int64_t> sizes;
  const float* values = nullptr;
};

using Weights = std::map<std::string, Weight>;

}  // namespace transformer::engine
