// What modules must mind while TorchScript traces them (formats/torchscript/torchscript.h).
#pragma once

namespace transformer::ops {

/// Whether operations are traced. A trace holds LibTorch's own operations only, no kernels of ours, and it is
/// used again with other shapes: sizes must come from tensors, not from numbers.
bool tracing();

}  // namespace transformer::ops
