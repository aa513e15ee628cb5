// The device whose results are compared with the CPU's: the fake one, or a real one.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "tests/cuda.h"
#include "tests/fake_device/fake_device.h"

namespace transformer::test {

/// The first CUDA device if TRANSFORMER_TEST_DEVICE is "cuda", else the fake device. If CUDA is asked for and
/// absent, the process ends with the status that ctest counts as skipped.
inline torch::Device tested_device() {
  const char* wanted = std::getenv("TRANSFORMER_TEST_DEVICE");
  if (wanted == nullptr || std::string_view(wanted) != "cuda") return fake_device::device();
  if (!has_cuda) {
    std::cout << "skipped: no CUDA device here\n";
    std::exit(4);
  }
  return runtime::choose_device("cuda");
}

/// How near a graph's numbers are to those of its operations. The fake device computes the same; CUDA adds up
/// in another order.
inline double near_graphs() {
  return tested_device().is_cuda() ? 1e-3 : 0;
}

}  // namespace transformer::test
