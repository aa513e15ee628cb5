#include "transformer/runtime/device.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <regex>

#include "transformer/base/error.h"
#include "transformer/runtime/cuda.h"

namespace transformer::runtime {
namespace {

thread_local torch::ScalarType cpu_type = torch::kFloat;

/// Of "cuda:N", N from 0 to 999.
std::optional<std::int64_t> cuda_number(const std::string& name) {
  static const std::regex pattern("cuda:(0|[1-9][0-9]{0,2})");
  std::smatch match;
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  return std::stoll(match[1]);
}

}  // namespace

torch::Device choose_device(const std::string& name) {
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
  return torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(number.value_or(0)));
}

torch::ScalarType choose_precision(const std::string& name, const torch::Device& device) {
  const bool tf32 = name == "tf32";
  if (tf32 && !device.is_cuda())
    throw InputError("--precision tf32: a CUDA device computes in it; expected fp32 or bf16 on the CPU");
  if (!tf32 && name != "fp32" && name != "bf16" && name != "auto")
    throw InputError(fmt::format("--precision: expected fp32, tf32, bf16 or auto, found '{}'", name));
  at::globalContext().setAllowTF32CuBLAS(tf32);
  return name == "bf16" || (name == "auto" && device.is_cuda()) ? torch::kBFloat16 : torch::kFloat;
}

std::string name_of_precision(torch::ScalarType precision) {
  if (precision == torch::kBFloat16) return "bf16";
  return at::globalContext().allowTF32CuBLAS() ? "tf32" : "fp32";
}

void use_deterministic_algorithms() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);  // cuBLAS asks for it
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);  // a debugging aid that costs time
}

Autocast::Autocast(const torch::Device& device, torch::ScalarType precision)
    : type_(device.type()), before_(false), cpu_type_before_(cpu_type) {
  if (device.is_cpu()) {
    cpu_type = precision;
    return;
  }
  before_ = at::autocast::is_autocast_enabled(type_);
  at::autocast::set_autocast_enabled(type_, precision == torch::kBFloat16);
  at::autocast::set_autocast_dtype(type_, torch::kBFloat16);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  cpu_type = cpu_type_before_;
  if (type_ == torch::kCPU) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(type_, before_);
}

torch::ScalarType cpu_compute_type() {
  return cpu_type;
}

torch::Tensor in_compute_type(const torch::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == torch::kFloat ? x.to(cpu_type) : x;
}

}  // namespace transformer::runtime
