// What modules must mind while TorchScript records their operations (formats/torchscript/torchscript.h).
#pragma once

namespace transformer::ops {

/// Whether operations are recorded. A recording holds LibTorch's own operations only, no kernels of ours, and
/// it is used again with other shapes: sizes must come from tensors, not from numbers.
bool tracing();

}  // namespace transformer::ops
