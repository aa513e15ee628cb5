// Numbers that Python (tests/reference/pattern.py) and C++ make alike from a name.
#pragma once

#include <torch/nn/module.h>

#include <map>
#include <string>
#include <vector>

namespace transformer::test {

/// What PyTorch computed for weights and inputs made by `pattern`.
struct Reference {
  std::vector<double> output;
  std::vector<std::vector<double>> input_gradients;
  std::map<std::string, double> slopes;  ///< each weight's gradient, along one direction
};

/// Values in [-1, 1] without structure that a wrong index could hide behind. Double precision.
inline torch::Tensor pattern(torch::IntArrayRef shape, const std::string& name) {
  int phase = 0;
  for (const char character : name) phase = (31 * phase + character) % 997;
  const auto j = torch::arange(c10::multiply_integers(shape), torch::kDouble);
  return torch::sin(j * j * 0.37 + j * 1.1 + phase).reshape(shape);
}

/// Matrices are half the pattern; vectors a tenth of it, around 1 where they are a norm's weight.
inline torch::Tensor pattern_weight(torch::IntArrayRef shape, const std::string& name) {
  if (shape.size() == 2) return 0.5 * pattern(shape, name);
  const bool of_norm = name.ends_with("norm.weight") || name.find("norm_of_") != std::string::npos;
  return 0.1 * pattern(shape, name) + (of_norm ? 1.0 : 0.0);
}

/// Makes a module double and gives it the weights that the reference had.
template <typename Module>
Module with_pattern(Module module) {
  module->to(torch::kDouble);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : module->named_parameters())
    parameter.value().copy_(pattern_weight(parameter.value().sizes(), parameter.key()));
  return module;
}

}  // namespace transformer::test
