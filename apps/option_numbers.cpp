#include "apps/option_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <vector>

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

std::string say_type(const CLI::App& app, const std::string& message) {
  static const std::regex pattern("Could not convert: ([^ ]+) = (.*)");
  static const std::regex positive("(.+): Value (.*) not in range 0[.0]* to 1797[0-9]+[.0]*");
  std::smatch match;
  if (std::regex_match(message, match, positive))
    return fmt::format("{}: expected a number above 0, found {}", match[1].str(), match[2].str());
  if (!std::regex_match(message, match, pattern)) return message;
  std::vector<const CLI::App*> apps{&app};
  for (const auto* command : app.get_subcommands()) apps.push_back(command);
  for (const auto* asked : apps) {
    const auto* option = asked->get_option_no_throw(match[1]);
    if (option == nullptr) continue;
    const auto type = option->get_type_name();
    const bool whole = type.starts_with("INT") || type.starts_with("UINT");
    return fmt::format("{}: expected {}, found {}", match[1].str(), whole ? "a whole number" : "a number",
                       match[2].str());
  }
  return message;
}

}  // namespace transformer::apps
