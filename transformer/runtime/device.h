// Where and how precisely a program computes.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

namespace transformer::runtime {

/// The device with one of these names:
/// * "cpu".
/// * "cuda" for the first CUDA device, or "cuda:N", from 0.
/// * "auto" for the first CUDA device if there is one, else the CPU. A warning says what is wrong if there
///   should be one.
/// * The name under which a library that the process has loaded registered a device with LibTorch, with or
///   without ":0".
///
/// CUDA's libraries are loaded here (cuda.h), so call this first, before generators are seeded and models
/// loaded. The device becomes this thread's current one. Throws InputError when a CUDA device is asked for
/// and absent.
torch::Device choose_device(const std::string& name);

/// The device of that name if there are `cuda_devices` CUDA devices. If there is none, the error says `why`.
torch::Device choose_device(const std::string& name, std::int64_t cuda_devices, const std::string& why = "");

/// The name of the device for one of several processes on a machine, which have local ranks from 0: "cuda",
/// and "auto" where there are CUDA devices, give each process one of its own. Any other name, such as
/// "cuda:0", stays as it is, for processes that share a device. Throws InputError if there are too few. But
/// where CUDA_VISIBLE_DEVICES is set, a launcher may show each process its own devices alone, so that they
/// are taken in turn.
std::string device_of_process(const std::string& name, std::int64_t local_rank);

/// The same if there are `cuda_devices` CUDA devices. chosen: CUDA_VISIBLE_DEVICES is set.
std::string device_of_process(const std::string& name, std::int64_t local_rank, std::int64_t cuda_devices,
                              bool chosen);

/// Whether a loaded library registered a device of this name.
bool is_registered_device(const std::string& name);

/// Moves parameters and buffers in place, so other holders of these tensors see them moved. The parameters
/// must not have gradients yet. Unlike Module::to it knows all devices.
void move_to(torch::nn::Module& module, const torch::Device& device);
void move_to(const torch::Tensor& tensor, const torch::Device& device);

/// The type that tensors are computed in, by one of these names:
/// * "fp32".
/// * "tf32", on CUDA devices only: fp32, but products of fp32 matrices use 10 bits of each mantissa.
/// * "bf16".
/// * "fp16", not on the CPU. It is for devices that are slow in bf16. A training scales its loss
///   (train/loss_scale.h).
/// * "auto": bf16 on CUDA devices, fp32 on the CPU.
///
/// This also sets, for the whole process, whether fp32 means TF32. Throws InputError for a precision that the
/// device lacks.
torch::ScalarType choose_precision(const std::string& name, const torch::Device& device);

/// "bf16", "fp16", or "fp32" or "tf32", as the last choose_precision has it.
std::string name_of_precision(torch::ScalarType precision);

/// Makes CUDA compute the same numbers each time, which is slower. An operation that cannot is an error. Call
/// this before the first computation.
void use_deterministic_algorithms();

/// While it lives, this thread's models compute in the given precision, by the same rule on every device. The
/// modules apply the rule (in_compute_type, ops/linear.h); PyTorch's autocast stays off. The rule for bf16
/// and fp16:
/// * Matrix products read that type and sum in fp32.
/// * Weights, gradients of weights, statistics of norms, and losses are fp32 or better.
/// * The residual sum has that type if each sum is normalised at once (models/encoder_decoder.h).
/// * Devices other than the CPU read biases and the weights of norms in that type, too.
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
