// How a cost grows: y = c · x^exponent, fitted to what was measured.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "transformer/report/svg.h"

namespace transformer::report {

struct PowerLaw {
  double exponent = 0;
  double factor = 0;  ///< c
  double error = 0;   ///< standard error of the exponent; 0 with two points
  std::size_t points = 0;

  double operator()(double x) const;
};

/// The straight line through the logarithms of the points whose x lies within from…to, by least squares.
/// Absent with fewer than two different x. Points must be positive in both coordinates.
std::optional<PowerLaw> fit_power_law(const std::vector<Point>& points, double from, double to);

/// The x from which on `rising` stays above `other` as far as both are known, where it lies below before:
/// both straight between neighbouring points on logarithmic axes. Both have the same x, rising. Absent where
/// they do not change places, or where `rising` lies below at the end.
std::optional<double> crossing_of(const std::vector<Point>& rising, const std::vector<Point>& other);

}  // namespace transformer::report
