// The gradient of a ReLU and of the bias in front of it, on a device.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// As bias_gradient (bias.h), with `output`: by an own kernel, where there is one.
torch::Tensor device_relu_gradient(const torch::Tensor& gradient, const torch::Tensor& output);

}  // namespace transformer::ops
