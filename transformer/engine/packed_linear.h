// A linear layer of the engine, in any of its precisions.
#pragma once

#include <cstdint>
#include <variant>

#include "transformer/kernels/linear.h"

namespace transformer::engine {

/// What the factors of a matrix product are. Everything else, sums included, is float.
enum class Precision {
  fp32,
  bf16,
  int8,  ///< weights with a scale for each output channel, activations with one for each row
};

/// Rows of activations, rounded to what products of one precision read.
struct RoundedRows {
  std::int64_t rows = 0;
  std::int64_t stride = 0;
  const float* floats = nullptr;
  const kernels::Bf16* halves = nullptr;
  const std::uint8_t* bytes = nullptr;
  const float* scale = nullptr;

  /// So many of them from `first` on.
  RoundedRows some(std::int64_t first, std::int64_t count) const;
};

/// Rounds, and owns what results until the next call.
class Rounder {
 public:
  Rounder(Precision precision, const kernels::LinearKernels& kernels)
      : precision_(precision), kernels_(kernels) {}

  /// x: (rows, width), width a multiple of kPanel. In fp32 nothing is copied.
  RoundedRows operator()(const float* x, std::int64_t rows, std::int64_t width);

 private:
  Precision precision_;
  const kernels::LinearKernels& kernels_;
  kernels::Buffer<kernels::Bf16> halves_;
  kernels::Buffer<std::uint8_t> bytes_;
  kernels::Buffer<float> scale_;
};

/// Some of a layer's output channels, in panels of kernels::kPanel.
struct Panels {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

class PackedLinear {
 public:
  PackedLinear() = default;
  /// weight: (outputs, inputs), bias: (outputs) or null.
  PackedLinear(const float* weight, const float* bias, std::int64_t outputs, std::int64_t inputs,
               Precision precision);

  Panels all() const;
  std::int64_t width() const { return all().count * kernels::kPanel; }  ///< outputs, padded
  std::int64_t bytes() const;                                           ///< of the weights, padded

  /// The channels in `panels` of f(x Wᵀ + b), into rows of `stride` floats.
  void apply(const kernels::LinearKernels& kernels, const RoundedRows& x, const Panels& panels, float* y,
             std::int64_t stride, std::optional<nn::Activation> activation = {}) const;

 private:
  std::variant<kernels::PackedWeight<float>, kernels::PackedWeight<kernels::Bf16>,
               kernels::PackedWeight<std::int8_t>>
      weight_;
};

}  // namespace transformer::engine
