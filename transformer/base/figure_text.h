// Figures for people, of any size.
#pragma once

#include <fmt/format.h>

#include <string>

namespace transformer {

/// "12.346"; from ten millions on "1.23e+150", since a number of 150 digits says nothing more; "inf", "nan".
inline std::string figure_text(double value, int decimals) {
  constexpr double kLong = 1e7;
  return value < kLong ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.2e}", value);
}

}  // namespace transformer
