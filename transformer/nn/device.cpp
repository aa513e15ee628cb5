#include "transformer/nn/device.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <cstdlib>

#include "transformer/base/error.h"

namespace transformer::nn {
namespace {

thread_local torch::ScalarType cpu_type = torch::kFloat;

bool load_cuda() {
  static const bool loaded = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr;
  return loaded && torch::cuda::is_available();
}

}  // namespace

torch::Device choose_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name != "cuda" && name != "auto")
    throw InputError(fmt::format("--device: expected cpu, cuda or auto, found '{}'", name));
  if (load_cuda()) return torch::Device(torch::kCUDA, 0);
  if (name == "cuda")
    throw InputError(
        "--device cuda: no CUDA device can be used here (use --device cpu, or ./dev setup --gpu)");
  return torch::kCPU;
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

}  // namespace transformer::nn
