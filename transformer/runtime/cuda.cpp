#include "transformer/runtime/cuda.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

namespace transformer::runtime {
namespace {

std::atomic<bool> seeded = false, too_late = false;

/// Whether the machine has NVIDIA's driver: as a kernel module, or from Windows under WSL.
bool has_driver() {
  return std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
}

/// Counts the devices. LibTorch reports CUDA's refusal as an exception, whose first line is the problem.
Cuda find_devices() {
  try {
    at::globalContext().lazyInitDevice(at::kCUDA);
    return {.devices = static_cast<std::int64_t>(torch::cuda::device_count())};
  } catch (const c10::Error& error) {
    const std::string words = error.what_without_backtrace();
    // A user who sets CUDA_VISIBLE_DEVICES may have hidden the devices on purpose, and needs no warning.
    return no_device(words.substr(0, words.find('\n')),
                     has_driver() && std::getenv("CUDA_VISIBLE_DEVICES") == nullptr);
  }
}

Cuda load() {
  too_late = seeded.load();
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* words = dlerror();
    return not_loaded(words != nullptr ? words : "no reason given", has_driver());
  }
  if (!at::globalContext().hasCUDART())
    return {.problem =
                "LibTorch was seeded, and has looked for CUDA, before a device was chosen (use --device cpu)",
            .unexpected = true};
  // On Hopper LibTorch prefers cuDNN's attention, which makes a plan for each new shape, in 20 to 40 ms.
  // Lengths change from batch to batch, and in a search with each step.
  at::globalContext().setSDPUseCuDNN(false);
  return find_devices();
}

}  // namespace

Cuda not_loaded(const std::string& loader, bool driver) {
  const bool missing = loader.find("No such file or directory") != std::string::npos;
  return {
      .problem =
          missing
              ? fmt::format("CUDA's libraries are not installed: {} (use --device cpu, or ./dev setup --gpu)",
                            loader)
              : fmt::format("CUDA's libraries cannot be loaded: {} (use --device cpu, or install them anew)",
                            loader),
      .unexpected = driver || !missing};
}

Cuda no_device(const std::string& cuda, bool driver) {
  return {.problem = fmt::format("CUDA finds no device: {} (use --device cpu)", cuda), .unexpected = driver};
}

const Cuda& load_cuda() {
  static const Cuda cuda = load();
  return cuda;
}

void seed_generators(std::uint64_t seed) {
  seeded = true;
  at::manual_seed(seed);
}

bool chose_device_too_late() {
  return too_late;
}

}  // namespace transformer::runtime
