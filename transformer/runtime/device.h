// Where and how precisely a program computes.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

namespace transformer::runtime {

/// "cpu", "cuda" (the first one), "cuda:N" (from 0) or "auto" (the first CUDA device where there is one); or
/// the name under which a library that the process has loaded registered a device of its own with LibTorch.
/// CUDA's libraries are loaded here, on demand, so that the same binary runs without them. The device becomes
/// this thread's current one. Throws InputError when a CUDA device is asked for and absent.
torch::Device choose_device(const std::string& name);

/// Whether this is the name of such a device of another library's.
bool is_registered_device(const std::string& name);

/// Moves parameters and buffers, which stay the same tensors to whoever holds them; the parameters have no
/// gradients yet. Unlike Module::to it knows all devices.
void move_to(torch::nn::Module& module, const torch::Device& device);
void move_to(torch::Tensor tensor, const torch::Device& device);

/// The device of that name where there are so many CUDA devices.
torch::Device choose_device(const std::string& name, std::int64_t cuda_devices);

/// "fp32", "bf16" or "auto" (bf16 on CUDA devices, fp32 on the CPU).
torch::ScalarType choose_precision(const std::string& name, const torch::Device& device);

/// Lets CUDA compute the same numbers each time, at some cost; an operation that cannot is an error. To be
/// called before the first computation.
void use_deterministic_algorithms();

/// While it lives, this thread's models compute in the given precision on the given device; weights stay
/// fp32, and so do sums, statistics and the gradients of weights. On the CPU the modules see to it themselves
/// (in_compute_type, linear.h), on CUDA PyTorch's autocast does, which rounds a weight's gradient to bf16
/// before it is added up in fp32.
class Autocast {
 public:
  Autocast(const torch::Device& device, torch::ScalarType precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType type_;
  bool before_;  ///< on CUDA: whether autocast was enabled
  torch::ScalarType cpu_type_before_;
};

/// The precision of a surrounding Autocast on the CPU; fp32 if there is none.
torch::ScalarType cpu_compute_type();

/// An fp32 tensor on the CPU in that precision; any other as it is.
torch::Tensor in_compute_type(const torch::Tensor& x);

}  // namespace transformer::runtime
