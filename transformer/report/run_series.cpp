#include "transformer/report/run_series.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace transformer::report {
namespace {

double value_of(const Measurement& line, std::string_view key) {
  const auto found = line.values.find(std::string(key));
  return found == line.values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

double place_of(const Measurement& line, RunAxis over) {
  switch (over) {
    case RunAxis::step:
      return static_cast<double>(line.step);
    case RunAxis::time:
      return line.seconds;
    case RunAxis::flops:
      return value_of(line, "flops");
  }
  no_such_choice();
}

/// With digits that a font has above the line.
std::string power_of_ten(int exponent) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : fmt::format("{}", std::abs(exponent))) text += kDigits[digit - '0'];
  return text;
}

}  // namespace

std::vector<Series> series_of(const std::vector<WatchedRun>& runs, std::string_view key, RunAxis over) {
  std::vector<Series> all;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const bool dev : {false, true}) {
      Series series{run, dev, {}};
      for (const auto& line : runs[run].lines) {
        const SeriesPoint point{place_of(line, over), value_of(line, key)};
        if (line.dev == dev && std::isfinite(point.x) && std::isfinite(point.y))
          series.points.push_back(point);
      }
      all.push_back(std::move(series));
    }
  }
  return all;
}

std::vector<SeriesPoint> smoothed(std::vector<SeriesPoint> points, double weight) {
  double sum = 0, weights = 0;
  for (auto& point : points) {
    sum = sum * weight + point.y;
    weights = weights * weight + 1;
    point.y = sum / weights;
  }
  return points;
}

Unit unit_of(RunAxis axis, double most) {
  switch (axis) {
    case RunAxis::step:
      return {1, "updates"};
    case RunAxis::time:
      if (most > 2 * 3600) return {3600, "hours of training"};
      if (most > 2 * 60) return {60, "minutes of training"};
      return {1, "seconds of training"};
    case RunAxis::flops:
      return decimal_unit("FLOPs", most);
  }
  no_such_choice();
}

Unit decimal_unit(std::string_view name, double most) {
  if ((most >= 0.1 && most < 1e3) || !(most > 0)) return {1, std::string(name)};
  const int exponent = 3 * static_cast<int>(std::floor(std::log10(most) / 3));
  return {std::pow(10.0, exponent), fmt::format("{} {}", power_of_ten(exponent), name)};
}

}  // namespace transformer::report
