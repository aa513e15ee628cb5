#include "transformer/runtime/device.h"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <regex>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/runtime/cuda.h"
#include "transformer/runtime/product.h"

namespace transformer::runtime {
namespace {

thread_local torch::ScalarType type_of_products = torch::kFloat;

/// The N of "cuda:N", from 0 to 999; nothing for any other name.
std::optional<std::int64_t> cuda_number(const std::string& name) {
  static const std::regex pattern("cuda:(0|[1-9][0-9]{0,2})");
  std::smatch match;
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  return std::stoll(match[1]);
}

/// Logs it at most once in a process.
void say_that_bf16_gains_nothing() {
  static std::once_flag said;
  std::call_once(
      said, [] { spdlog::info("this CPU has no instructions for bf16, which is no faster here than fp32"); });
}

}  // namespace

bool is_registered_device(const std::string& name) {
  if (!c10::is_privateuse1_backend_registered()) return false;
  const auto registered = c10::get_privateuse1_backend();
  return name == registered || name == registered + ":0";
}

torch::Device choose_device(const std::string& name) {
  if (is_registered_device(name)) return {torch::kPrivateUse1, 0};
  static const Cuda none;
  const auto& cuda = name == "cpu" ? none : load_cuda();
  const auto device = choose_device(name, cuda.devices, cuda.problem);
  static std::once_flag warned;
  if (device.is_cpu() && cuda.unexpected)
    std::call_once(warned, [&] { spdlog::warn("--device auto: the CPU computes: {}", cuda.problem); });
  if (device.is_cuda()) c10::impl::VirtualGuardImpl(torch::kCUDA).setDevice(device);
  return device;
}

torch::Device choose_device(const std::string& name, std::int64_t cuda_devices, const std::string& why) {
  const auto number = cuda_number(name);
  if (name != "cpu" && name != "auto" && name != "cuda" && !number)
    throw InputError(fmt::format("--device: expected cpu, cuda, cuda:N or auto, found '{}'", name));
  if (name == "cpu" || (name == "auto" && cuda_devices == 0)) return torch::kCPU;
  if (cuda_devices == 0) throw InputError(fmt::format("--device {}: {}", name, why));
  if (number.value_or(0) >= cuda_devices)
    throw InputError(
        fmt::format("--device {}: there {}: expected cuda:0{}", name,
                    cuda_devices == 1 ? "is 1 CUDA device" : fmt::format("are {} CUDA devices", cuda_devices),
                    cuda_devices == 1 ? "" : fmt::format(" to cuda:{}", cuda_devices - 1)));
  return {torch::kCUDA, static_cast<torch::DeviceIndex>(number.value_or(0))};
}

std::string device_of_process(const std::string& name, std::int64_t local_rank) {
  const bool any = name == "auto" || name == "cuda";
  return device_of_process(name, local_rank, any ? load_cuda().devices : 0,
                           std::getenv("CUDA_VISIBLE_DEVICES") != nullptr);
}

std::string device_of_process(const std::string& name, std::int64_t local_rank, std::int64_t cuda_devices,
                              bool chosen) {
  if ((name != "auto" && name != "cuda") || cuda_devices == 0) return name;
  if (local_rank >= cuda_devices && !chosen)
    throw InputError(
        fmt::format("--device {}: expected at most {} process{} on this machine, one for each CUDA device, "
                    "found {} or more (--device cuda:0 lets them share one)",
                    name, cuda_devices, cuda_devices == 1 ? "" : "es", local_rank + 1));
  return fmt::format("cuda:{}", local_rank % cuda_devices);
}

void move_to(const torch::Tensor& tensor, const torch::Device& device) {
  const torch::NoGradGuard no_gradients;
  const auto moved = tensor.detach().to(device);
  // set_data() takes data of a compatible device only. The CPU and CUDA are compatible.
  if (torch::_has_compatible_shallow_copy_type(tensor, moved))
    tensor.set_data(moved);
  else
    tensor.unsafeGetTensorImpl()->shallow_copy_from(moved.getIntrusivePtr());
}

void move_to(torch::nn::Module& module, const torch::Device& device) {
  for (const auto& parameter : module.parameters()) move_to(parameter, device);
  for (const auto& buffer : module.buffers()) move_to(buffer, device);
}

torch::ScalarType choose_precision(const std::string& name, const torch::Device& device) {
  const bool tf32 = name == "tf32", fp16 = name == "fp16";
  if (tf32 && !device.is_cuda())
    throw InputError("--precision tf32: a CUDA device computes in it; expected fp32 or bf16 on the CPU");
  if (fp16 && device.is_cpu())
    throw InputError("--precision fp16: a CUDA device computes in it; expected bf16 or fp32 on the CPU");
  if (!tf32 && !fp16 && name != "fp32" && name != "bf16" && name != "auto")
    throw InputError(fmt::format("--precision: expected fp32, tf32, bf16, fp16 or auto, found '{}'", name));
  at::globalContext().setAllowTF32CuBLAS(tf32);
  if (fp16) {
    // Otherwise cuBLAS may add the parts of a long sum in fp16. A part can exceed the range of fp16 although
    // the whole sum does not.
    at::globalContext().setAllowFP16ReductionCuBLAS(false);
    return torch::kHalf;
  }
  if (name == "bf16" && device.is_cpu() && !has_products_of_bf16()) say_that_bf16_gains_nothing();
  return name == "bf16" || (name == "auto" && device.is_cuda()) ? torch::kBFloat16 : torch::kFloat;
}

std::string name_of_precision(torch::ScalarType precision) {
  if (precision == torch::kBFloat16) return "bf16";
  if (precision == torch::kHalf) return "fp16";
  return at::globalContext().allowTF32CuBLAS() ? "tf32" : "fp32";
}

void use_deterministic_algorithms() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);  // cuBLAS asks for it
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);  // a debugging aid that costs time
}

PrecisionScope::PrecisionScope(torch::ScalarType precision)
    : before_(std::exchange(type_of_products, precision)) {}

PrecisionScope::~PrecisionScope() {
  type_of_products = before_;
}

torch::ScalarType compute_type() {
  return type_of_products;
}

torch::Tensor in_compute_type(const torch::Tensor& x) {
  return x.scalar_type() == torch::kFloat ? x.to(type_of_products) : x;
}

}  // namespace transformer::runtime
