// The layers of Table 1 as LibTorch computes them, and their time.
#pragma once

#include <torch/types.h>

#include <functional>

#include "apps/bench/layers/kinds.h"

namespace transformer::bench {

struct BuiltLayer {
  std::vector<torch::Tensor> weights;
  std::function<torch::Tensor(const torch::Tensor&)> forward;  ///< (n, d), or (B, n, d) → the same
};

/// With random weights. depth: of a stack, from 0, which sets a dilated convolution's distances. Attention
/// divides `width` into heads; without projections these are the dimensions of X as they stand.
BuiltLayer build_layer(LayerKind kind, const LayerShape& shape, const torch::TensorOptions& options,
                       std::int64_t depth = 0);

/// Seconds of a pass, the least of several. On a CPU with one thread those that the thread has spent, which
/// leaves out what other programs take; else those that passed.
struct LayerTime {
  double forward = 0;
  double backward = 0;  ///< gradients of the input and of all weights
  int repetitions = 0;

  double total() const { return forward + backward; }
};

/// Repeats passes for `seconds`, three times at least, after one that is not counted.
LayerTime time_layer(LayerKind kind, const LayerShape& shape, const torch::TensorOptions& options,
                     double seconds);

}  // namespace transformer::bench
