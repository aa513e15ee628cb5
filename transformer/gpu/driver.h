// The functions of NVRTC, which compiles own kernels, and of CUDA's driver, which runs them. Both libraries
// are looked up when a program runs, so that it needs neither to be built.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <string>

namespace transformer::gpu {

/// Types and order of arguments are those of nvrtc.h and cuda.h, since version 11.1. All return 0 for
/// success.
struct Driver {
  using Program = void*;
  using Module = void*;
  using Function = void*;
  using Stream = void*;

  int (*create_program)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                        const char* const* names) = nullptr;
  int (*compile_program)(Program, int options, const char* const*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*binary_size)(Program, std::size_t*) = nullptr;
  int (*binary)(Program, char*) = nullptr;
  int (*destroy_program)(Program*) = nullptr;

  int (*device_attribute)(int*, int attribute, int device) = nullptr;
  int (*load_module)(Module*, const void* binary) = nullptr;
  int (*find_function)(Function*, Module, const char* name) = nullptr;
  int (*launch)(Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream, void** arguments,
                void** extra) = nullptr;
  int (*error_text)(int, const char**) = nullptr;

  static constexpr int kComputeMajor = 75, kComputeMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
};

/// What was found, or why it was not.
struct LoadedDriver {
  Driver functions = {};
  std::string problem = {};  ///< empty if there is one
};

/// The library that has a device's functions: LibTorch's of that name for CUDA, and for another device what
/// the environment's TRANSFORMER_GPU_DRIVER names, empty if that is nothing.
std::string library_of(const torch::Device& device, const std::string& of_cuda);

/// The functions of the library of that name or path and of those that it needs. An empty one is a problem.
LoadedDriver load_driver(const std::string& library);

/// The one of a device, looked up once in a process. That is LibTorch's own libcaffe2_nvrtc.so for CUDA, and
/// what the environment's TRANSFORMER_GPU_DRIVER names for another device, which else has none.
const LoadedDriver& driver_of(const torch::Device& device);

}  // namespace transformer::gpu
