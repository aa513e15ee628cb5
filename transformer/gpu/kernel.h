// Own kernels of GPUs: compiled for a device when it first needs them, compared with what they stand for, and
// launched.
#pragma once

#include <torch/types.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "transformer/gpu/driver.h"
#include "transformer/gpu/source/phases.h"

namespace transformer::gpu {

/// A text of source/, with several kernels.
struct Source {
  std::string_view name;  ///< of the file, without its ending
  std::string_view text;
};

/// The kernels of one text on one device. They live as long as the process.
class Kernels {
 public:
  /// Compiles them. Throws RunError if that cannot be done: with the compiler's first words, or the driver's.
  Kernels(const Source& source, const torch::Device& device);

  /// The first number of the device's compute capability.
  int compute_major() const { return compute_major_; }

  /// Blocks of the kernel NAME_fp32, NAME_bf16 or NAME_fp16, on the device's current stream. Nothing is
  /// launched for 0. Throws RunError if CUDA refuses.
  template <template <typename> typename Kernel, typename T>
  void launch(const char* name, Index blocks, typename Kernel<T>::Arguments arguments) const {
    launch(name, ending(T{}), blocks, Kernel<T>::kThreads, &arguments);
  }

 private:
  static constexpr const char* ending(float /*number*/) { return "_fp32"; }
  static constexpr const char* ending(Bf16 /*number*/) { return "_bf16"; }
  static constexpr const char* ending(Fp16 /*number*/) { return "_fp16"; }

  void launch(const char* name, const char* ending, Index blocks, int threads, void* arguments) const;
  Driver::Function function(const std::string& name) const;
  void check(int status, const std::string& what) const;

  Driver driver_;
  torch::Device device_;
  std::string source_;
  Driver::Module module_ = nullptr;
  int compute_major_ = 0;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Driver::Function> functions_;  // that were launched
};

/// The kernels of a text, if the device has some that agree with their definition, which `agree` finds out
/// once, on the first call for a device. A warning says once in a process why there are none; LibTorch's
/// operations compute then. Null too on the CPU and where device_choices() turn own kernels off. Thread-safe.
const Kernels* usable_kernels(const Source& source, const torch::Device& device,
                              const std::function<bool(const Kernels&)>& agree);

/// Whether kernels know numbers of this type.
constexpr bool is_gpu_type(torch::ScalarType type) {
  return type == torch::kFloat || type == torch::kBFloat16 || type == torch::kHalf;
}

/// How far two numbers of this type that are rounded on different ways may lie apart, as a share.
constexpr double rounding_of(torch::ScalarType type) {
  return type == torch::kFloat ? 1e-5 : type == torch::kHalf ? 1e-3 : 8e-3;
}

/// Calls body with a float, a Bf16 or an Fp16, as the tensor holds, which is one of these.
template <typename Body>
void with_gpu_type(torch::ScalarType type, Body&& body) {
  if (type == torch::kFloat)
    body(float{});
  else if (type == torch::kBFloat16)
    body(Bf16{});
  else
    body(Fp16{});
}

}  // namespace transformer::gpu
