#include "apps/option_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace transformer::apps {
namespace {

bool has_leading_zero(std::string_view number) {
  number.remove_prefix(std::min(number.find_first_not_of("+-"), number.size()));
  return number.size() > 1 && number[0] == '0' && number[1] >= '0' && number[1] <= '9';
}

bool is_nan(const std::string& number) {
  return std::isnan(std::strtod(number.c_str(), nullptr));
}

}  // namespace

void check_numbers(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    const auto type = option->get_type_name();
    const bool whole = type.starts_with("INT") || type.starts_with("UINT"), real = type.starts_with("FLOAT");
    for (const auto& value : option->results()) {
      if (whole && has_leading_zero(value))
        throw CLI::ValidationError(option->get_name(),
                                   fmt::format("expected a number without a leading zero, found {}", value));
      if (real && is_nan(value))
        throw CLI::ValidationError(option->get_name(), fmt::format("expected a number, found {}", value));
    }
  }
  for (const auto* command : app.get_subcommands()) check_numbers(*command);
}

}  // namespace transformer::apps
