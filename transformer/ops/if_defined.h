// An absent tensor, as those parts of LibTorch want it that ask for no tensor rather than an undefined one.
#pragma once

#include <torch/types.h>

#include <optional>

namespace transformer::ops {

inline std::optional<torch::Tensor> if_defined(const torch::Tensor& x) {
  return x.defined() ? std::optional(x) : std::nullopt;
}

}  // namespace transformer::ops
