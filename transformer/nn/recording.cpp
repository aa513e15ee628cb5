#include "transformer/nn/recording.h"

#include <torch/csrc/jit/frontend/tracer.h>

namespace transformer::nn {

bool recording() {
  return torch::jit::tracer::isTracing();
}

}  // namespace transformer::nn
