#include "transformer/gpu/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace transformer::gpu {

LoadedDriver load_driver(const std::string& name) {
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {.problem = dlerror()};
  LoadedDriver loaded;
  auto& driver = loaded.functions;
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr && loaded.problem.empty())
      loaded.problem = fmt::format("{}: expected the functions of NVRTC and CUDA, found no {}", name, symbol);
  };
  find(driver.create_program, "nvrtcCreateProgram");
  find(driver.compile_program, "nvrtcCompileProgram");
  find(driver.log_size, "nvrtcGetProgramLogSize");
  find(driver.log, "nvrtcGetProgramLog");
  find(driver.binary_size, "nvrtcGetCUBINSize");
  find(driver.binary, "nvrtcGetCUBIN");
  find(driver.destroy_program, "nvrtcDestroyProgram");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.load_module, "cuModuleLoadData");
  find(driver.find_function, "cuModuleGetFunction");
  find(driver.launch, "cuLaunchKernel");
  find(driver.error_text, "cuGetErrorString");
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
