#include "transformer/report/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "transformer/report/format.h"

namespace transformer::report {
namespace {

/// The round number (1, 2 or 5 times a power of ten) next to value.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  const double rest = value / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

std::vector<double> linear_ticks(double low, double high, int wanted) {
  const double step = round_step((high - low) / wanted);
  const double first = std::ceil(low / step);
  std::vector<double> values;
  for (int i = 0; i < 3 * wanted; ++i) {
    const double value = (first + i) * step;
    if (!(value <= high)) break;
    values.push_back(value == 0 ? 0.0 : value);  // no negative zero
  }
  return values;
}

std::vector<double> powers(double low, double high, const std::vector<double>& mantissas) {
  std::vector<double> values;
  const int last = static_cast<int>(std::floor(std::log10(high)));
  for (int exponent = static_cast<int>(std::floor(std::log10(low))); exponent <= last; ++exponent) {
    for (const double mantissa : mantissas) {
      const double value = mantissa * std::pow(10.0, exponent);
      if (value >= low && value <= high) values.push_back(value);
    }
  }
  return values;
}

std::vector<double> logarithmic_ticks(double low, double high, int wanted) {
  const std::vector<std::vector<double>> grids = {{1}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}};
  for (const auto& grid : grids) {
    auto values = powers(low, high, grid);
    const auto most = 3 * static_cast<std::size_t>(wanted);
    if (values.size() > most) {  // hundreds of powers of ten
      const std::size_t every = (values.size() + most - 1) / most;
      std::vector<double> fewer;
      for (std::size_t i = 0; i < values.size(); i += every) fewer.push_back(values[i]);
      return fewer;
    }
    if (values.size() >= static_cast<std::size_t>(wanted)) return values;
  }
  return linear_ticks(low, high, wanted);  // so narrow that the logarithm is almost straight
}

}  // namespace

double Scale::operator()(double value) const {
  const double share =
      logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + share * (to - from);
}

Scale make_scale(bool logarithmic, double low, double high, double from, double to, double margin) {
  Scale scale{logarithmic, low, high, from, to};
  if (logarithmic) {
    const double widen = high / low > 1 + 1e-6 ? std::pow(high / low, margin) : 1.5;
    scale.low /= widen;
    scale.high *= widen;
  } else {
    const double size = std::max(std::abs(low), std::abs(high));
    const double widen = high - low > 1e-6 * size ? (high - low) * margin : std::max(0.05 * size, 1.0);
    scale.low -= widen;
    scale.high += widen;
  }
  return scale;
}

std::vector<double> ticks(const Scale& scale, int wanted) {
  return scale.logarithmic ? logarithmic_ticks(scale.low, scale.high, wanted)
                           : linear_ticks(scale.low, scale.high, wanted);
}

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size >= 1e9 || (size < 1e-3 && value != 0)) return fmt::format("{:.0e}", value);
  if (value == std::floor(value)) return format_count(static_cast<std::int64_t>(value));
  return fmt::format("{:.6g}", value);
}

}  // namespace transformer::report
