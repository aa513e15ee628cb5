#include "transformer/gpu/driver.h"

#include <cstdlib>

#include "transformer/base/library_functions.h"

namespace transformer::gpu {

LoadedDriver load_driver(const std::string& name) {
  LoadedDriver loaded;
  auto& driver = loaded.functions;
  LibraryFunctions library(name, "NVRTC and CUDA");
  library.find(driver.create_program, "nvrtcCreateProgram");
  library.find(driver.compile_program, "nvrtcCompileProgram");
  library.find(driver.log_size, "nvrtcGetProgramLogSize");
  library.find(driver.log, "nvrtcGetProgramLog");
  library.find(driver.binary_size, "nvrtcGetCUBINSize");
  library.find(driver.binary, "nvrtcGetCUBIN");
  library.find(driver.destroy_program, "nvrtcDestroyProgram");
  library.find(driver.device_attribute, "cuDeviceGetAttribute");
  library.find(driver.load_module, "cuModuleLoadData");
  library.find(driver.find_function, "cuModuleGetFunction");
  library.find(driver.launch, "cuLaunchKernel");
  library.find(driver.error_text, "cuGetErrorString");
  loaded.problem = library.problem();
  return loaded;
}

const LoadedDriver& driver_of(const torch::Device& device) {
  if (device.is_cuda()) {
    static const LoadedDriver cuda = load_driver("libcaffe2_nvrtc.so");
    return cuda;
  }
  static const LoadedDriver other = [] {
    const char* named = std::getenv("TRANSFORMER_GPU_DRIVER");
    return named ? load_driver(named) : LoadedDriver{.problem = "the device has no driver"};
  }();
  return other;
}

}  // namespace transformer::gpu
