// What tests of own kernels share.
#pragma once

#include "tests/catch.h"
#include "transformer/runtime/device_choices.h"

namespace transformer::test {

/// While it lives, LibTorch's operations compute.
class WithoutOwnKernels {
 public:
  WithoutOwnKernels() { runtime::device_choices().own_kernels = false; }
  ~WithoutOwnKernels() { runtime::device_choices().own_kernels = true; }
  WithoutOwnKernels(const WithoutOwnKernels&) = delete;
  WithoutOwnKernels& operator=(const WithoutOwnKernels&) = delete;
};

/// Equal, but for what rounding may do.
inline void check_near(const torch::Tensor& found, const torch::Tensor& expected, double relative,
                       double absolute) {
  CHECK(torch::allclose(found.cpu().to(torch::kDouble), expected.cpu().to(torch::kDouble), relative, absolute,
                        /*equal_nan=*/true));
}

inline double precision_of(torch::ScalarType type) {
  return type == torch::kFloat ? 2e-6 : type == torch::kHalf ? 1e-3 : 8e-3;
}

}  // namespace transformer::test
