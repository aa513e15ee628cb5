// train.groups and train.adapters as text: patterns of the names of parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/train/options.h"

namespace transformer::config {

/// "PATTERN rate=0.1 weight_decay=0, PATTERN rate=2", with one number or both behind each pattern; "none" or
/// nothing for no groups. A pattern has letters, digits and . _ - * ?; a number is at least 0. Nothing is
/// returned for any other text.
std::optional<std::vector<train::ParameterGroup>> parse_groups(std::string_view text);

/// Reads back as equal groups.
std::string print_groups(const std::vector<train::ParameterGroup>& groups);

/// "PATTERN, PATTERN"; "none" or nothing for no patterns. Nothing is returned for any other text.
std::optional<std::vector<std::string>> parse_patterns(std::string_view text);

/// Reads back as equal patterns.
std::string print_patterns(const std::vector<std::string>& patterns);

}  // namespace transformer::config
