#include "transformer/ops/tracing.h"

#include <torch/csrc/jit/frontend/tracer.h>

namespace transformer::ops {

bool tracing() {
  return torch::jit::tracer::isTracing();
}

torch::Tensor places_of(const torch::Tensor& rows) {
  return torch::ones_like(rows, torch::kLong).cumsum(0) - 1;
}

}  // namespace transformer::ops
