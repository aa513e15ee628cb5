#include "apps/decimal_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace transformer::apps {
namespace {

bool has_leading_zero(std::string_view number) {
  number.remove_prefix(std::min(number.find_first_not_of("+-"), number.size()));
  return number.size() > 1 && number[0] == '0' && number[1] >= '0' && number[1] <= '9';
}

}  // namespace

void check_decimal(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    const auto type = option->get_type_name();
    if (!type.starts_with("INT") && !type.starts_with("UINT")) continue;
    for (const auto& value : option->results())
      if (has_leading_zero(value))
        throw CLI::ValidationError(option->get_name(),
                                   fmt::format("expected a number without a leading zero, found {}", value));
  }
  for (const auto* command : app.get_subcommands()) check_decimal(*command);
}

}  // namespace transformer::apps
