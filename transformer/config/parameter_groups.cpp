#include "transformer/config/parameter_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "transformer/base/ascii.h"
#include "transformer/config/scalar.h"

namespace transformer::config {
namespace {

constexpr std::string_view kNone = "none";

/// Removes the text before the first `end` and that character from `text`. → the text before it
std::string_view take(std::string_view& text, char end) {
  const auto part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool is_pattern(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_small_letter(c) || is_capital_letter(c) || is_digit(c) ||
           std::string_view("._-*?").find(c) != std::string_view::npos;
  });
}

std::optional<train::ParameterGroup> parse_group(std::string_view text) {
  train::ParameterGroup group;
  std::optional<double> rate;
  while (!text.empty()) {
    auto word = take(text, ' ');
    if (word.empty()) continue;
    if (group.pattern.empty()) {
      if (!is_pattern(word)) return std::nullopt;
      group.pattern = word;
      continue;
    }
    const auto name = take(word, '=');
    const auto number = parse_real(word);
    auto* place = name == "rate" ? &rate : name == "weight_decay" ? &group.weight_decay : nullptr;
    if (place == nullptr || *place || !number || *number < 0) return std::nullopt;
    *place = number;
  }
  if (group.pattern.empty() || (!rate && !group.weight_decay)) return std::nullopt;
  group.rate = rate.value_or(group.rate);
  return group;
}

}  // namespace

std::optional<std::vector<train::ParameterGroup>> parse_groups(std::string_view text) {
  std::vector<train::ParameterGroup> groups;
  if (text == kNone) return groups;
  while (!text.empty()) {
    auto group = parse_group(take(text, ','));
    if (!group) return std::nullopt;
    groups.push_back(std::move(*group));
  }
  return groups;
}

std::string print_groups(const std::vector<train::ParameterGroup>& groups) {
  std::string text;
  for (const auto& group : groups) {
    text += (text.empty() ? "" : ",") + group.pattern;
    if (group.rate != 1.0 || !group.weight_decay) text += " rate=" + print_real(group.rate);
    if (group.weight_decay) text += " weight_decay=" + print_real(*group.weight_decay);
  }
  return text.empty() ? std::string(kNone) : text;
}

std::optional<std::vector<std::string>> parse_patterns(std::string_view text) {
  std::vector<std::string> patterns;
  if (text == kNone) return patterns;
  while (!text.empty()) {
    auto word = take(text, ',');
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!is_pattern(word)) return std::nullopt;
    patterns.emplace_back(word);
  }
  return patterns;
}

std::string print_patterns(const std::vector<std::string>& patterns) {
  return patterns.empty() ? std::string(kNone) : fmt::format("{}", fmt::join(patterns, ","));
}

}  // namespace transformer::config
