#include "transformer/train/parameter_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"

namespace transformer::train {

bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos,
              taken = 0;  // the last *, and what comes behind what it stands for
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<ParameterRule> rules_of(const std::vector<std::pair<std::string, std::int64_t>>& parameters,
                                    const std::vector<ParameterGroup>& groups, double weight_decay) {
  std::vector<ParameterRule> rules;
  std::vector<bool> fitted(groups.size());
  for (const auto& [name, dimensions] : parameters) {
    const auto found = std::ranges::find_if(
        groups, [&name = name](const ParameterGroup& group) { return fits(group.pattern, name); });
    const auto index = static_cast<std::size_t>(found - groups.begin());
    const bool is_matrix = dimensions > 1;
    ParameterRule rule{.weight_decay = is_matrix ? weight_decay : 0.0};
    bool split = true;  // matrices from the rest
    if (found != groups.end()) {
      fitted[index] = true;
      rule.rate = found->rate;
      rule.weight_decay = found->weight_decay.value_or(rule.weight_decay);
      split = !found->weight_decay;
    }
    rule.group = 2 * index + (split && !is_matrix ? 1 : 0);
    rules.push_back(rule);
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (!fitted[i])
      throw InputError(
          fmt::format("train.groups: expected a pattern that fits the name of a parameter which no pattern "
                      "before it fits, found '{}'{}",
                      groups[i].pattern,
                      parameters.empty() ? "" : fmt::format("; a name is '{}'", parameters.back().first)));
  return rules;
}

}  // namespace transformer::train
