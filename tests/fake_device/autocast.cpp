// Which of the fake device's operations autocast computes in which type: as on CUDA, by LibTorch's own lists.
#include <ATen/autocast_mode.h>
#include <torch/library.h>

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#define IN_LOWER_PRECISION(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define IN_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define TO_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
  AT_FORALL_LOWER_PRECISION_FP(IN_LOWER_PRECISION)
  AT_FORALL_FP32(IN_FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(TO_FP32)
#undef IN_LOWER_PRECISION
#undef IN_FP32
#undef TO_FP32
}
