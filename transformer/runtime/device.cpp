#include "transformer/runtime/device.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <optional>
#include <regex>

#include "transformer/base/error.h"

namespace transformer::runtime {
namespace {

thread_local torch::ScalarType cpu_type = torch::kFloat;

std::int64_t count_cuda_devices() {
  static const bool loaded = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr;
  return loaded ? static_cast<std::int64_t>(torch::cuda::device_count()) : 0;
}

/// Of "cuda:N", N from 0 to 999.
std::optional<std::int64_t> cuda_number(const std::string& name) {
  static const std::regex pattern("cuda:(0|[1-9][0-9]{0,2})");
  std::smatch match;
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  return std::stoll(match[1]);
}

}  // namespace

bool is_registered_device(const std::string& name) {
  return c10::is_privateuse1_backend_registered() && name == c10::get_privateuse1_backend();
}

torch::Device choose_device(const std::string& name) {
  if (is_registered_device(name)) return {torch::kPrivateUse1, 0};
  const auto device = choose_device(name, name == "cpu" ? 0 : count_cuda_devices());
  if (device.is_cuda()) c10::impl::VirtualGuardImpl(torch::kCUDA).setDevice(device);
  return device;
}

torch::Device choose_device(const std::string& name, std::int64_t cuda_devices) {
  const auto number = cuda_number(name);
  if (name != "cpu" && name != "auto" && name != "cuda" && !number)
    throw InputError(fmt::format("--device: expected cpu, cuda, cuda:N or auto, found '{}'", name));
  if (name == "cpu" || (name == "auto" && cuda_devices == 0)) return torch::kCPU;
  if (cuda_devices == 0)
    throw InputError(fmt::format(
        "--device {}: no CUDA device can be used here (use --device cpu, or ./dev setup --gpu)", name));
  if (number.value_or(0) >= cuda_devices)
    throw InputError(
        fmt::format("--device {}: there {}: expected cuda:0{}", name,
                    cuda_devices == 1 ? "is 1 CUDA device" : fmt::format("are {} CUDA devices", cuda_devices),
                    cuda_devices == 1 ? "" : fmt::format(" to cuda:{}", cuda_devices - 1)));
  return torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(number.value_or(0)));
}

void move_to(torch::Tensor tensor, const torch::Device& device) {
  const torch::NoGradGuard no_gradients;
  const auto moved = tensor.detach().to(device);
  // A tensor's data may be replaced by those of a kindred device alone, the CPU's and CUDA's among them.
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
  if (name == "fp32") return torch::kFloat;
  if (name == "bf16") return torch::kBFloat16;
  if (name == "auto") return device.is_cuda() ? torch::kBFloat16 : torch::kFloat;
  throw InputError(fmt::format("--precision: expected fp32, bf16 or auto, found '{}'", name));
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
