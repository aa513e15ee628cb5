// bf16: the upper half of a float.
#pragma once

#include <cstdint>

namespace transformer::kernels {

/// Laid out as c10::BFloat16 is.
struct Bf16 {
  std::uint16_t bits;
};

}  // namespace transformer::kernels
