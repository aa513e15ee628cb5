#include "transformer/inference/packed_linear.h"

namespace transformer::inference {

using kernels::Bf16;
using kernels::Linear;
using kernels::PackedWeight;

RoundedRows Rounder::operator()(const float* x, std::int64_t rows, std::int64_t width) {
  RoundedRows result{.rows = rows, .stride = width};
  switch (precision_) {
    case Precision::fp32:
      result.floats = x;
      break;
    case Precision::bf16:
      halves_.resize(rows * width);
      kernels_.round_bf16({rows, width, x, halves_.data(), nullptr});
      result.halves = halves_.data();
      break;
    case Precision::int8:
      bytes_.resize(rows * width);
      scale_.resize(rows);
      kernels_.round_int8({rows, width, x, bytes_.data(), scale_.data()});
      result.bytes = bytes_.data();
      result.scale = scale_.data();
      break;
  }
  return result;
}

PackedLinear::PackedLinear(const torch::Tensor& weight, const torch::Tensor& bias, Precision precision) {
  const auto floats = weight.to(torch::kFloat).contiguous();
  const auto offsets = bias.defined() ? bias.to(torch::kFloat).contiguous() : bias;
  const float* w = floats.data_ptr<float>();
  const float* b = bias.defined() ? offsets.data_ptr<float>() : nullptr;
  const auto outputs = weight.size(0), inputs = weight.size(1);
  if (precision == Precision::fp32) weight_ = kernels::pack<float>(w, b, outputs, inputs);
  if (precision == Precision::bf16) weight_ = kernels::pack<Bf16>(w, b, outputs, inputs);
  if (precision == Precision::int8) weight_ = kernels::pack<std::int8_t>(w, b, outputs, inputs);
}

Panels PackedLinear::all() const {
  return {0, std::visit([](const auto& weight) { return weight.panels; }, weight_)};
}

void PackedLinear::apply(const kernels::LinearKernels& k, const RoundedRows& x, const Panels& panels,
                         float* y, std::int64_t stride, kernels::Activation activation) const {
  const auto [first, count] = panels;
  if (const auto* floats = std::get_if<PackedWeight<float>>(&weight_))
    k.product({floats, first, count, x.rows, x.floats, x.stride, nullptr, y, stride, activation});
  else if (const auto* halves = std::get_if<PackedWeight<Bf16>>(&weight_))
    k.product_bf16({halves, first, count, x.rows, x.halves, x.stride, nullptr, y, stride, activation});
  else if (const auto* bytes = std::get_if<PackedWeight<std::int8_t>>(&weight_))
    k.product_int8({bytes, first, count, x.rows, x.bytes, x.stride, x.scale, y, stride, activation});
}

}  // namespace transformer::inference
