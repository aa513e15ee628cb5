// residual_norm.h on devices: by own kernels where the device has them, else by LibTorch's operations.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// x, z: (…, D) in fp32, bf16 or fp16; weight, bias: (D) in fp32.
torch::Tensor device_residual_norm(const torch::Tensor& x, const torch::Tensor& z,
                                   const torch::Tensor& weight, const torch::Tensor& bias, double epsilon,
                                   double p);

}  // namespace transformer::ops
