// A check for options that name a file or a folder.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace transformer::apps {

/// Refuses the empty text, which a script hands over whose variable is not set.
inline const CLI::Validator kNotEmpty(
    [](const std::string& value) {
      return value.empty() ? "expected a value, found nothing" : std::string();
    },
    "");

}  // namespace transformer::apps
