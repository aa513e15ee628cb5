#include "transformer/ops/softmax_loss.h"

#include "transformer/gpu/kernel.h"
#include "transformer/gpu/source/cross_entropy.h"

namespace transformer::gpu {
std::string_view cross_entropy_text();
}

namespace transformer::ops {
namespace {

SoftmaxLoss kernel_loss(const gpu::Kernels& kernels, torch::Tensor& logits, const torch::Tensor& labels,
                        double kept, bool gradient) {
  const auto options = logits.options().dtype(torch::kFloat);
  SoftmaxLoss loss{torch::empty({logits.size(0)}, options), torch::empty({logits.size(0)}, options)};
  gpu::with_gpu_type(logits.scalar_type(), [&](auto type) {
    using T = decltype(type);
    const auto address = reinterpret_cast<std::uintptr_t>(logits.data_ptr());
    kernels.launch<gpu::CrossEntropy, T>(
        "cross_entropy", logits.size(0),
        {.logits = static_cast<T*>(logits.data_ptr()),
         .labels = reinterpret_cast<const gpu::Index*>(labels.const_data_ptr<std::int64_t>()),
         .nll = loss.nll.data_ptr<float>(),
         .logsumexp = loss.logsumexp.data_ptr<float>(),
         .width = logits.size(1),
         .kept = static_cast<float>(kept),
         .gradient = gradient,
         .packed = address % 16 == 0 && logits.size(1) % gpu::kPacked<T> == 0});
  });
  return loss;
}

/// On a few rows of numbers from -9 to 9, of a width that packs divide and of one that they do not.
bool agrees(const gpu::Kernels& kernels, const torch::Device& device) {
  const torch::NoGradGuard no_gradients;
  bool alike = true;
  for (const auto type : {torch::kFloat, torch::kBFloat16, torch::kHalf})
    for (const std::int64_t width : {1000, 1032}) {
      const auto numbers = torch::arange(3 * width, torch::TensorOptions(torch::kFloat).device(device));
      auto own = ((numbers * 1.7).sin() * 9).view({3, width}).to(type), defined = own.clone();
      const auto labels = torch::arange(-1, 2, torch::TensorOptions(torch::kLong).device(device)) * 300;
      const auto found = kernel_loss(kernels, own, labels, 0.9, true);
      const auto expected = reference_softmax_loss(defined, labels, 0.9, true);
      alike = alike && torch::allclose(found.nll, expected.nll, 1e-5, 1e-5) &&
              torch::allclose(found.logsumexp, expected.logsumexp, 1e-5, 1e-5) &&
              torch::allclose(own.to(torch::kFloat), defined.to(torch::kFloat), gpu::rounding_of(type), 1e-7);
    }
  return alike;
}

}  // namespace

SoftmaxLoss softmax_loss(torch::Tensor& logits, const torch::Tensor& labels, double kept, bool gradient) {
  if (!logits.is_cpu() && gpu::is_gpu_type(logits.scalar_type()) && logits.is_contiguous()) {
    const auto device = logits.device();
    const auto* kernels =
        gpu::usable_kernels({"cross_entropy", gpu::cross_entropy_text()}, device,
                            [&](const gpu::Kernels& compiled) { return agrees(compiled, device); });
    if (kernels != nullptr) return kernel_loss(*kernels, logits, labels, kept, gradient);
  }
  return reference_softmax_loss(logits, labels, kept, gradient);
}

SoftmaxLoss reference_softmax_loss(torch::Tensor& logits, const torch::Tensor& labels, double kept,
                                   bool gradient) {
  const auto wide = torch::promote_types(logits.scalar_type(), torch::kFloat);
  const auto log_probabilities = torch::log_softmax(logits, 1, wide);
  const auto unasked = labels.lt(0), column = labels.clamp_min(0).unsqueeze(1);
  const auto chosen = log_probabilities.gather(1, column);  // (n, 1)
  SoftmaxLoss loss{-chosen.squeeze(1), (logits.gather(1, column).to(wide) - chosen).squeeze(1)};
  for (auto* numbers : {&loss.nll, &loss.logsumexp}) numbers->masked_fill_(unasked, 0);
  if (gradient) {
    at::exp_out(logits, log_probabilities);
    logits.scatter_(1, column, (chosen.exp() - kept).to(logits.scalar_type()));
    logits.masked_fill_(unasked.unsqueeze(1), 0);
  }
  return loss;
}

}  // namespace transformer::ops
