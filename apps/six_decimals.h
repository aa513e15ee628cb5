// Numbers in JSON.
#pragma once

#include <fmt/format.h>

#include <string>

namespace transformer::apps {

/// As text has them: a perfect score reads 100.0 whatever the last bits are.
inline double six_decimals(double value) {
  return std::stod(fmt::format("{:.6f}", value));
}

}  // namespace transformer::apps
