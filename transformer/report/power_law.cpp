#include "transformer/report/power_law.h"

#include <cmath>

namespace transformer::report {

double PowerLaw::operator()(double x) const {
  return factor * std::pow(x, exponent);
}

std::optional<PowerLaw> fit_power_law(const std::vector<Point>& points, double from, double to) {
  std::vector<Point> logs;
  Point mean;
  for (const auto& point : points) {
    if (point.x < from || point.x > to) continue;
    logs.push_back({std::log(point.x), std::log(point.y)});
    mean.x += logs.back().x;
    mean.y += logs.back().y;
  }
  const auto count = static_cast<double>(logs.size());
  mean.x /= count;
  mean.y /= count;
  double spread = 0, together = 0;
  for (const auto& point : logs) {
    spread += (point.x - mean.x) * (point.x - mean.x);
    together += (point.x - mean.x) * (point.y - mean.y);
  }
  if (logs.size() < 2 || !(spread > 1e-12)) return {};
  PowerLaw law{.exponent = together / spread, .points = logs.size()};
  law.factor = std::exp(mean.y - law.exponent * mean.x);
  double rest = 0;
  for (const auto& point : logs) {
    const double miss = point.y - mean.y - law.exponent * (point.x - mean.x);
    rest += miss * miss;
  }
  if (logs.size() > 2) law.error = std::sqrt(rest / (count - 2) / spread);
  return law;
}

std::optional<double> crossing_of(const std::vector<Point>& rising, const std::vector<Point>& other) {
  // How far the one lies above the other, as a logarithm.
  const auto above = [&](std::size_t i) { return std::log(rising[i].y / other[i].y); };
  if (rising.empty() || above(rising.size() - 1) < 0) return {};
  for (std::size_t i = rising.size() - 1; i > 0; --i) {
    if (above(i - 1) >= 0) continue;
    const double share = above(i - 1) / (above(i - 1) - above(i));
    return rising[i - 1].x * std::pow(rising[i].x / rising[i - 1].x, share);
  }
  return {};
}

}  // namespace transformer::report
