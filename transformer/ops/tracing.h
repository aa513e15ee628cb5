// Rules for modules while TorchScript traces them (formats/torchscript/torchscript.h).
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// Whether operations are traced. A trace holds LibTorch's own operations only, no kernels of ours, and it is
/// used again with other shapes: sizes must come from tensors, not from numbers.
bool tracing();

/// 0, 1, …, as many as rows: (T) → (T), on their device, without asking for their number, which would become
/// a constant of a trace.
torch::Tensor places_of(const torch::Tensor& rows);

}  // namespace transformer::ops
