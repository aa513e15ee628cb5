// How fast this machine multiplies matrices: what a model's speed is held against.
#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace transformer::bench {

/// y (M, N) = x (M, K) Wᵀ, as a linear layer computes it.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
};

struct GemmSpeed {
  GemmShape shape;
  std::string precision;  ///< fp32, tf32, bf16 or fp16
  std::string library;    ///< torch: LibTorch's mm, called as by the modules (runtime/product.h); onednn: its
                          ///< oneDNN layer
  double flops_per_second = 0;
};

/// The best of several repetitions, on all threads; on a device, by its own clock (device_seconds.h).
GemmSpeed time_gemm(const GemmShape& shape, torch::ScalarType precision, const torch::Device& device,
                    bool onednn);

/// The machine's peak: the best library's at 2048³, 4096³ and 8192³, as far as a product takes less than a
/// tenth of a second.
double gemm_peak(torch::ScalarType precision, const torch::Device& device);

/// The peak's shapes and those of the model shapes' layers, in each precision that the device computes in.
std::vector<GemmSpeed> time_gemms(const torch::Device& device);

}  // namespace transformer::bench
