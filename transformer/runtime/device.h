// Where and how precisely a program computes.
#pragma once

#include <torch/types.h>

#include <string>

namespace transformer::runtime {

/// "cpu", "cuda" (the first one), "cuda:N" (from 0) or "auto" (the first CUDA device where there is one;
/// where there should be one, a warning says what is the matter). CUDA's libraries are loaded here (cuda.h),
/// so this comes first, before generators are seeded and models loaded. The device becomes this thread's
/// current one. Throws InputError when a CUDA device is asked for and absent.
torch::Device choose_device(const std::string& name);

/// The device of that name where there are so many CUDA devices; without any, the error says `why`.
torch::Device choose_device(const std::string& name, std::int64_t cuda_devices, const std::string& why = "");

/// "fp32", "tf32" (on CUDA devices only: all is fp32, but products of fp32 matrices take 10 bits of each
/// mantissa), "bf16" or "auto" (bf16 on CUDA devices, fp32 on the CPU): what tensors are computed in. Whether
/// fp32 means TF32 is a setting of the process, which this makes.
torch::ScalarType choose_precision(const std::string& name, const torch::Device& device);

/// "bf16", or "fp32" or "tf32", as the last choose_precision has it.
std::string name_of_precision(torch::ScalarType precision);

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
