// What train.groups and train.weight_decay make of each parameter.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "transformer/train/options.h"

namespace transformer::train {

/// How a parameter is treated.
struct ParameterRule {
  double rate = 1.0;  ///< times the learning rate
  double weight_decay = 0.0;
  /// Its place in the order of groups; one call of a kernel makes the step of all that have the same.
  std::size_t group = 0;
};

/// Whether a pattern fits a whole name: * stands for any characters, or none, and ? for one.
bool fits(std::string_view pattern, std::string_view name);

/// parameters: each by its name and its number of dimensions. Without a group of its own a parameter has the
/// weight decay if it is a matrix, and none if it is a bias or belongs to a norm. Throws InputError for a
/// pattern that fits no name which the patterns before it leave.
std::vector<ParameterRule> rules_of(const std::vector<std::pair<std::string, std::int64_t>>& parameters,
                                    const std::vector<ParameterGroup>& groups, double weight_decay);

}  // namespace transformer::train
