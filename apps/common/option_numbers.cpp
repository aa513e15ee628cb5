#include "apps/common/option_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
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

bool takes_whole_numbers(const CLI::Option& option) {
  const auto type = option.get_type_name();
  return type.starts_with("INT") || type.starts_with("UINT");
}

}  // namespace

void check_numbers(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    const bool whole = takes_whole_numbers(*option), real = option->get_type_name().starts_with("FLOAT");
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
  static const std::regex again("(.+): At [Mm]ost 1 required but received ([0-9]+)");
  std::smatch match;
  if (std::regex_match(message, match, again))
    return fmt::format("{}: expected once, found {} times", match[1].str(), match[2].str());
  if (!std::regex_match(message, match, pattern)) return message;
  const std::string name = match[1];
  const auto* option = app.get_option_no_throw(name);
  for (const auto* command : app.get_subcommands())
    if (option == nullptr) option = command->get_option_no_throw(name);
  if (option == nullptr) return message;
  return fmt::format("{}: expected a {}number, found {}", name, takes_whole_numbers(*option) ? "whole " : "",
                     match[2].str());
}

}  // namespace transformer::apps
