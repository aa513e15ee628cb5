// The checks of a variant from outside, as they are made (variant_check.h).
#pragma once

#include <torch/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "transformer/nn/variant_check.h"

namespace transformer::nn {

/// As a share of the larger of 1 and what is compared; NaN where something is no number.
double difference(const torch::Tensor& a, const torch::Tensor& b);

/// A function of some tensors, and perhaps of parameters.
using CheckedFunction = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;

/// How far the gradient of a random sum of the results is from central differences, at worst.
double worst_gradient(const CheckedFunction& function, const std::vector<torch::Tensor>& inputs,
                      const std::vector<torch::Tensor>& parameters = {});

class CheckList {
 public:
  /// where: what stands before each check, such as "attention, decoder". What is at most `tolerance` passes,
  /// and NaN does not. label: before what is found.
  CheckList(std::string where, double tolerance, std::string label = "largest difference ")
      : where_(std::move(where)), tolerance_(tolerance), label_(std::move(label)) {}

  /// Adds what `measure` finds, or how it failed.
  void add(const char* what, const std::function<double()>& measure);

  std::vector<VariantCheck> take() { return std::move(done_); }

 private:
  std::string where_;
  double tolerance_;
  std::string label_;
  std::vector<VariantCheck> done_;
};

}  // namespace transformer::nn
