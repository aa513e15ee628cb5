// Curves on two logarithmic axes, where a power is a straight line.
#pragma once

#include <string>
#include <vector>

#include "transformer/report/power_law.h"

namespace transformer::report {

struct PowerCurve {
  std::string name;  ///< in the legend
  std::vector<Point> points;
};

/// A value of x that deserves a line through the panel.
struct PowerMark {
  double x = 1;
  std::string name;
};

/// Curves of the same place in the lists of several panels have the same colour.
struct PowerPanel {
  std::string title, x_label, y_label;
  std::vector<PowerCurve> curves;
  std::vector<PowerMark> marks = {};
};

/// Two panels a line, as an SVG file. All figures must be finite and positive; curves without points, and
/// marks beyond the curves, have their names in the legend alone.
std::string power_curves_svg(std::string_view title, std::string_view description,
                             const std::vector<PowerPanel>& panels);

}  // namespace transformer::report
