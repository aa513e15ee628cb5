// Departures of the model's parts from the paper, in sentences. Only departures.cpp includes this.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transformer/config/experiment.h"
#include "transformer/variants/options.h"

namespace transformer::config {

/// The known effect of a smaller or a larger number than the paper's. Empty: none is known.
struct Expected {
  std::string_view smaller = {}, larger = {};
};

class Sentences {
 public:
  template <typename Value>
  void compare(std::string_view what, const Value& found, const Value& paper, const Expected& expected = {}) {
    if (found == paper) return;
    const auto effect = found < paper ? expected.smaller : expected.larger;
    add("{} {} instead of {}{}", what, found, paper,
        effect.empty() ? "" : fmt::format(" (expected: {})", effect));
  }

  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    list_.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

/// Parts from outside, each in the place of what the paper has.
void compare_variants(const std::vector<std::pair<variants::Kind, variants::Choice>>& chosen, Sentences& s);

/// Everything about the model but what Table 3 varies.
void compare_model(const Experiment& experiment, Sentences& sentences);

}  // namespace transformer::config
