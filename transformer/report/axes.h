// From figures to places in a picture.
#pragma once

#include <string>
#include <vector>

namespace transformer::report {

/// Maps low…high to from…to (pixels), linearly or by the logarithm.
struct Scale {
  bool logarithmic = false;
  double low = 0, high = 1;  ///< finite and low < high; with a logarithm also 0 < low
  double from = 0, to = 1;

  double operator()(double value) const;
};

/// A scale that shows low…high with a margin of `margin` times the range at either end. A range that is empty
/// is widened. The ends must be finite, and positive for a logarithm.
Scale make_scale(bool logarithmic, double low, double high, double from, double to, double margin = 0);

/// Round values within the scale, rising, about `wanted` of them (never more than thrice as many).
std::vector<double> ticks(const Scale& scale, int wanted);

/// "20", "0.5", "20 000"
std::string tick_label(double value);

}  // namespace transformer::report
