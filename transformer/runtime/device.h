// Where and how precisely a program computes.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

namespace transformer::runtime {

/// "cpu", "cuda" (the first one), "cuda:N" (from 0) or "auto" (the first CUDA device where there is one;
/// where there should be one, a warning says what is the matter); or the name under which a library that the
/// process has loaded registered a device of its own with LibTorch (the first, with or without ":0"). CUDA's
/// libraries are loaded here (cuda.h), so this comes first, before generators are seeded and models loaded.
/// The device becomes this thread's current one. Throws InputError when a CUDA device is asked for and
/// absent.
torch::Device choose_device(const std::string& name);

/// The device of that name where there are so many CUDA devices; without any, the error says `why`.
torch::Device choose_device(const std::string& name, std::int64_t cuda_devices, const std::string& why = "");

/// Whether this is the name of such a device of another library's.
bool is_registered_device(const std::string& name);

/// Moves parameters and buffers, which stay the same tensors to whoever holds them; the parameters have no
/// gradients yet. Unlike Module::to it knows all devices.
void move_to(torch::nn::Module& module, const torch::Device& device);
void move_to(const torch::Tensor& tensor, const torch::Device& device);

/// "fp32", "tf32" (on CUDA devices only: all is fp32, but products of fp32 matrices take 10 bits of each
/// mantissa), "bf16", "fp16" (not on the CPU: for devices that are slow in bf16; a training scales its loss,
/// train/loss_scale.h) or "auto" (bf16 on CUDA devices, fp32 on the CPU): what tensors are computed in.
/// Whether fp32 means TF32 is a setting of the process, which this makes. Throws InputError for what there is
/// not on that device.
torch::ScalarType choose_precision(const std::string& name, const torch::Device& device);

/// "bf16", "fp16", or "fp32" or "tf32", as the last choose_precision has it.
std::string name_of_precision(torch::ScalarType precision);

/// Lets CUDA compute the same numbers each time, at some cost; an operation that cannot is an error. To be
/// called before the first computation.
void use_deterministic_algorithms();

/// While it lives, this thread's models compute in the given precision, by the same rule on every device. The
/// modules apply the rule (in_compute_type, ops/linear.h); PyTorch's autocast stays off. In bf16 and in fp16:
///
/// - Matrix products read that type and add up in fp32.
/// - Weights, gradients of weights, statistics of norms, and losses are fp32 or better.
/// - The residual sum is of that type where each sum is normalised at once (models/encoder_decoder.h).
/// - Devices other than the CPU read biases and the weights of norms in that type, too.
class PrecisionScope {
 public:
  explicit PrecisionScope(torch::ScalarType precision);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  torch::ScalarType before_;
};

/// The precision of a surrounding PrecisionScope; fp32 if there is none.
torch::ScalarType compute_type();

/// An fp32 tensor in that precision; any other as it is.
torch::Tensor in_compute_type(const torch::Tensor& x);

}  // namespace transformer::runtime
