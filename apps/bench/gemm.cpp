#include "apps/bench/gemm.h"

#include <algorithm>

#include "apps/bench/device_seconds.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/product.h"

namespace transformer::bench {
namespace {

bool has_onednn_layer(torch::ScalarType precision, const torch::Device& device) {
  return device.is_cpu() && precision == torch::kFloat;  // LibTorch's mm of bf16 is oneDNN's already
}

}  // namespace

GemmSpeed time_gemm(const GemmShape& shape, torch::ScalarType precision, const torch::Device& device,
                    bool onednn) {
  const torch::NoGradGuard no_gradients;
  const auto options = torch::TensorOptions(device);
  const auto x = torch::randn({shape.m, shape.k}, options).to(precision);
  const auto weight = torch::randn({shape.n, shape.k}, options).to(precision);
  std::function<void()> work;
  if (onednn) {
    const auto x_layout = x.to_mkldnn(), weight_layout = weight.to_mkldnn();
    work = [=] { at::mkldnn_linear(x_layout, weight_layout); };
  } else {
    work = [out = torch::empty({shape.m, shape.n}, x.options()), x, weight]() mutable {
      runtime::product_into(out, x, weight.t());
    };
  }
  const double flops = 2.0 * static_cast<double>(shape.m * shape.n * shape.k);
  return {shape, runtime::name_of_precision(precision), onednn ? "onednn" : "torch",
          flops / least_seconds(work, device)};
}

double gemm_peak(torch::ScalarType precision, const torch::Device& device) {
  // A product of a tenth of a second is long enough to show the peak, and the next size takes eight times as
  // long.
  constexpr double kLongEnough = 0.1;
  double peak = 0;
  for (const std::int64_t n : {2048, 4096, 8192}) {
    auto speed = time_gemm({n, n, n}, precision, device, false).flops_per_second;
    if (has_onednn_layer(precision, device))
      speed = std::max(speed, time_gemm({n, n, n}, precision, device, true).flops_per_second);
    peak = std::max(peak, speed);
    if (2.0 * static_cast<double>(n * n * n) > kLongEnough * peak) break;
  }
  return peak;
}

std::vector<GemmSpeed> time_gemms(const torch::Device& device) {
  std::vector<GemmShape> shapes = {{2048, 2048, 2048}, {4096, 4096, 4096}};
  if (!device.is_cpu()) shapes.push_back({8192, 8192, 8192});
  const auto layers = [&](std::int64_t rows, std::int64_t d_model, std::int64_t d_ff) {
    for (const auto& [n, k] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {d_model, d_model}, {3 * d_model, d_model}, {d_ff, d_model}, {d_model, d_ff}, {8000, d_model}})
      shapes.push_back({rows, n, k});
  };
  layers(4096, 256, 1024);
  layers(2048, 512, 2048);
  std::vector<GemmSpeed> speeds;
  std::vector<torch::ScalarType> precisions{torch::kFloat, torch::kBFloat16};
  if (!device.is_cpu()) precisions.push_back(torch::kHalf);
  for (const auto precision : precisions) {
    for (const auto& shape : shapes) {
      speeds.push_back(time_gemm(shape, precision, device, false));
      if (has_onednn_layer(precision, device)) speeds.push_back(time_gemm(shape, precision, device, true));
    }
  }
  return speeds;
}

}  // namespace transformer::bench
