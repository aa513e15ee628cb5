#include "transformer/engine/packed_linear.h"

namespace transformer::engine {

using kernels::Bf16;
using kernels::Linear;
using kernels::PackedWeight;

RoundedRows RoundedRows::some(std::int64_t first, std::int64_t count) const {
  const auto from = [&](auto* numbers, std::int64_t width) {
    return numbers == nullptr ? nullptr : numbers + first * width;
  };
  return {.rows = count,
          .stride = stride,
          .floats = from(floats, stride),
          .halves = from(halves, stride),
          .bytes = from(bytes, stride),
          .scale = from(scale, 1)};
}

RoundedRows Rounder::operator()(const float* x, std::int64_t rows, std::int64_t width) {
  RoundedRows result{.rows = rows, .stride = width};
  switch (precision_) {
    case Precision::fp32:
      result.floats = x;
      break;
    case Precision::bf16:
      halves_.resize(rows * width);
      kernels_.round_bf16({.rows = rows, .width = width, .x = x, .y = halves_.data()});
      result.halves = halves_.data();
      break;
    case Precision::int8:
      bytes_.resize(rows * width);
      scale_.resize(rows);
      kernels_.round_int8({.rows = rows, .width = width, .x = x, .y = bytes_.data(), .scale = scale_.data()});
      result.bytes = bytes_.data();
      result.scale = scale_.data();
      break;
  }
  return result;
}

PackedLinear::PackedLinear(const float* weight, const float* bias, std::int64_t outputs, std::int64_t inputs,
                           Precision precision) {
  switch (precision) {
    case Precision::fp32:
      weight_ = kernels::pack<float>(weight, bias, outputs, inputs);
      break;
    case Precision::bf16:
      weight_ = kernels::pack<Bf16>(weight, bias, outputs, inputs);
      break;
    case Precision::int8:
      weight_ = kernels::pack<std::int8_t>(weight, bias, outputs, inputs);
      break;
  }
}

Panels PackedLinear::all() const {
  return {0, std::visit([](const auto& weight) { return weight.panels; }, weight_)};
}

std::int64_t PackedLinear::bytes() const {
  return std::visit([](const auto& w) { return w.values.size() * std::int64_t{sizeof(*w.values.data())}; },
                    weight_);
}

void PackedLinear::apply(const kernels::LinearKernels& k, const RoundedRows& x, const Panels& panels,
                         float* y, std::int64_t stride, std::optional<nn::Activation> activation) const {
  const auto product = [&]<typename T>(const PackedWeight<T>& weight, const kernels::Input<T>* input) {
    return Linear<T>{.weight = &weight,
                     .first_panel = panels.first,
                     .panels = panels.count,
                     .rows = x.rows,
                     .x = input,
                     .x_stride = x.stride,
                     .x_scale = x.scale,
                     .y = y,
                     .y_stride = stride,
                     .activation = activation};
  };
  if (const auto* floats = std::get_if<PackedWeight<float>>(&weight_))
    k.product(product(*floats, x.floats));
  else if (const auto* halves = std::get_if<PackedWeight<Bf16>>(&weight_))
    k.product_bf16(product(*halves, x.halves));
  else if (const auto* bytes = std::get_if<PackedWeight<std::int8_t>>(&weight_))
    k.product_int8(product(*bytes, x.bytes));
}

}  // namespace transformer::engine
