#include "transformer/gpu/driver.h"

#include <cstdlib>

#include "transformer/base/library_functions.h"

namespace transformer::gpu {

std::string library_of(const torch::Device& device, const std::string& of_cuda) {
  if (device.is_cuda()) return of_cuda;
  const char* named = std::getenv("TRANSFORMER_GPU_DRIVER");
  return named ? named : "";
}

LoadedDriver load_driver(const std::string& name) {
  LoadedDriver loaded;
  if (name.empty()) {
    loaded.problem = "the device has no driver";
    return loaded;
  }
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
    static const LoadedDriver cuda = load_driver(library_of(device, "libcaffe2_nvrtc.so"));
    return cuda;
  }
  static const LoadedDriver other = load_driver(library_of(device, ""));
  return other;
}

}  // namespace transformer::gpu
