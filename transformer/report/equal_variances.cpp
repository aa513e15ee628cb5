#include "transformer/report/equal_variances.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace transformer::report {

double chi_squared_above(double value, int degrees) {
  if (std::isinf(value)) return 0;
  const double half = std::max(0.0, value) / 2;
  const bool odd = degrees % 2 != 0;
  double above = odd ? std::erfc(std::sqrt(half)) : 0;
  // Both parities have a series: the next term is value / (k + 2) of the one before.
  double term = odd ? 2 * std::sqrt(half / std::numbers::pi) * std::exp(-half) : std::exp(-half);
  for (int k = odd ? 1 : 0; k < degrees - 1; k += 2) {
    above += term;
    term *= value / (k + 2);
  }
  return std::clamp(above, 0.0, 1.0);
}

std::optional<double> bartlett_p_value(std::span<const Summary> summaries) {
  if (summaries.size() < 2) return std::nullopt;
  double degrees = 0, squares = 0, logarithms = 0, inverses = 0;
  for (const auto& summary : summaries) {
    const auto own = static_cast<double>(summary.count) - 1;
    const double variance = *summary.deviation * *summary.deviation;
    degrees += own;
    squares += own * variance;
    logarithms += own * std::log(variance);
    inverses += 1 / own;
  }
  if (squares == 0) return 1;
  const auto others = static_cast<int>(summaries.size()) - 1;
  const double correction = 1 + (inverses - 1 / degrees) / (3 * others);
  return chi_squared_above((degrees * std::log(squares / degrees) - logarithms) / correction, others);
}

}  // namespace transformer::report
