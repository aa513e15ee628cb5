// The fake device's operations: those that LibTorch must have of each device, and all others by one fallback.
#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "tests/fake_device/capture.h"
#include "tests/fake_device/counts.h"
#include "tests/fake_device/fake_device.h"
#include "tests/fake_device/memory.h"

namespace transformer::test::fake_device {
namespace {

constexpr c10::DispatchKeySet kKey(c10::DispatchKey::PrivateUse1);

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                 std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator(), kKey, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &allocator(), kKey, c10::dtype_or_default(dtype));
}

void copy(const at::Tensor& from, const at::Tensor& to) {
  const at::AutoDispatchBelowADInplaceOrView below;
  on_host(to).copy_(on_host(from));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  count_copy(from.is_cpu() ? Copy::to_device : to.is_cpu() ? Copy::to_host : Copy::on_device, !non_blocking);
  const bool by_itself = counts_copies();  // not as a part of an operation
  if (by_itself && (from.is_cpu() || to.is_cpu())) refuse_in_capture("a copy between host and device");
  copy(from, to);
  if (by_itself) record([from = from.detach(), to = to.detach()] { copy(from, to); });
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  if (counts_copies()) refuse_in_capture("a copy between host and device");
  if (to.sizes() != from.sizes()) to.resize_(from.sizes());
  copy(from, to);
  return to;
}

at::Scalar read_number(const at::Tensor& tensor) {
  if (counts_copies()) refuse_in_capture("item");
  count_read();
  return on_host(tensor).item();
}

const at::Tensor& resize(const at::Tensor& tensor, c10::SymIntArrayRef size,
                         std::optional<at::MemoryFormat>) {
  const auto sizes = C10_AS_INTARRAYREF_SLOW(size);
  const auto& storage = tensor.storage();
  const auto bytes = static_cast<std::size_t>(c10::multiply_integers(sizes)) * tensor.element_size();
  if (storage.nbytes() < bytes) {
    storage.set_data_ptr_noswap(allocator().allocate(bytes));
    storage.set_nbytes(bytes);
  }
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return tensor;
}

/// As CUDA does: a tensor on the CPU among the others must be a single number, or an index.
void refuse_mixed_devices(const c10::OperatorHandle& operation, const torch::jit::Stack& stack) {
  const auto& schema = operation.schema();
  const bool indexes = schema.name().starts_with("aten::index");
  const auto check = [&](const at::Tensor& tensor) {
    TORCH_CHECK(!tensor.defined() || !tensor.is_cpu() || tensor.dim() == 0 || indexes,
                "fake device: ", operation.operator_name(), " with a tensor on the CPU, of shape ",
                tensor.sizes());
  };
  for (const auto& value : torch::jit::last(stack, schema.arguments().size())) {
    if (value.isTensor()) check(value.toTensor());
    if (value.isTensorList())
      for (const at::Tensor& tensor : value.toTensorList()) check(tensor);
  }
}

/// As CUDA does, and the CPU does not: the weights of a layer normalisation are of its input's type.
void refuse_mixed_types(const c10::OperatorHandle& operation, const torch::jit::Stack& stack) {
  const auto& schema = operation.schema();
  if (schema.name() != "aten::native_layer_norm") return;
  std::optional<at::ScalarType> type;
  for (const auto& value : torch::jit::last(stack, schema.arguments().size())) {
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const auto found = value.toTensor().scalar_type();
    TORCH_CHECK(found == type.value_or(found), "fake device: ", operation.operator_name(), " of ", *type,
                " with weights of ", found);
    type = found;
  }
}

/// The same memory, without what autograd keeps alive with a tensor.
torch::jit::Stack kept(c10::ArrayRef<c10::IValue> values) {
  torch::jit::Stack all;
  for (const auto& value : values) {
    if (value.isTensor() && value.toTensor().defined()) {
      all.emplace_back(value.toTensor().detach());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorList()) list.push_back(tensor.detach());
      all.emplace_back(list);
    } else {
      all.push_back(value);
    }
  }
  return all;
}

void compute_again(const c10::OperatorHandle& operation, torch::jit::Stack stack,
                   const torch::jit::Stack& results) {
  at::native::cpu_fallback(operation, &stack);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].isTensor()) copy_results(stack[i].toTensor(), results[i].toTensor());
    if (!results[i].isTensorList()) continue;
    const auto from = stack[i].toTensorVector(), to = results[i].toTensorVector();
    for (std::size_t j = 0; j < to.size(); ++j) copy_results(from[j], to[j]);
  }
}

void compute_on_cpu(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  refuse_mixed_devices(operation, *stack);
  refuse_mixed_types(operation, *stack);
  count_launch(c10::toString(operation.operator_name()));
  const Uncounted uncounted;
  if (!capturing()) return at::native::cpu_fallback(operation, stack);
  const auto given = kept(torch::jit::last(*stack, operation.schema().arguments().size()));
  at::native::cpu_fallback(operation, stack);
  const auto results = kept(torch::jit::last(*stack, operation.schema().returns().size()));
  record([operation, given, results] { compute_again(operation, given, results); });
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&compute_on_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", empty);
  library.impl("empty_strided", empty_strided);
  library.impl("as_strided", at::native::as_strided_tensorimpl);
  library.impl("view", at::native::view);
  library.impl("_reshape_alias", at::native::_reshape_alias);
  library.impl("_copy_from", copy_from);
  library.impl("_copy_from_and_resize", copy_from_and_resize);
  library.impl("_local_scalar_dense", read_number);
  library.impl("resize_", resize);
  // Operations that are one operation in CUDA, though LibTorch could compose them of others.
  for (const auto* whole : {"native_layer_norm", "native_layer_norm_backward", "_foreach_add_.Scalar",
                            "_foreach_add_.Tensor", "_foreach_copy_", "_foreach_norm.Scalar"})
    library.impl(whole, torch::CppFunction::makeFromBoxedFunction<&compute_on_cpu>());
}

}  // namespace transformer::test::fake_device
