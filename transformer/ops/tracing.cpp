#include "transformer/ops/tracing.h"

#include <torch/csrc/jit/frontend/tracer.h>

namespace transformer::ops {

bool tracing() {
  return torch::jit::tracer::isTracing();
}

}  // namespace transformer::ops
