// Whether there is a CUDA device to test on. Asked before main, since LibTorch must not be seeded before
// (transformer/runtime/cuda.h), and the cases of a program share a process.
#pragma once

#include "transformer/runtime/device.h"

namespace transformer::test {

inline const bool has_cuda = runtime::choose_device("auto").is_cuda();

}  // namespace transformer::test
