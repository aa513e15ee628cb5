// Numbers in JSON.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace transformer::apps {

/// As text has them: a perfect score reads 100.0 whatever the last bits are. JSON has no infinity: the
/// largest number stands for it.
inline double six_decimals(double value) {
  return std::stod(fmt::format("{:.6f}", std::min(value, std::numeric_limits<double>::max())));
}

}  // namespace transformer::apps
