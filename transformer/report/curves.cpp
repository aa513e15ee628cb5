#include "transformer/report/curves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "transformer/report/statistics.h"

namespace transformer::report {
namespace {

/// Where the line from a to b, straight on a logarithmic axis, crosses `top`, which lies between them. Steps
/// are whole, and a curve's fall from one to the next is steep, so the nearest step will do.
CurvePoint crossing(const CurvePoint& a, const CurvePoint& b, double top) {
  const double share = std::log(top / a.perplexity) / std::log(b.perplexity / a.perplexity);
  const auto distance = static_cast<double>(b.step - a.step);
  return {a.step + std::llround(share * distance), top};
}

}  // namespace

bool can_be_drawn(const CurvePoint& point) {
  // Beyond these ends only errors lie, and the axis would run out of numbers.
  return point.perplexity > 1e-30 && point.perplexity < 1e30;
}

std::vector<CurvePoint> mean_curve(const std::vector<std::vector<CurvePoint>>& curves) {
  std::map<std::int64_t, std::pair<std::size_t, double>> sums;  // step: (curves, sum)
  for (const auto& curve : curves) {
    std::map<std::int64_t, double> points;  // a step that was evaluated twice counts once
    for (const auto& point : curve) points[point.step] = point.perplexity;
    for (const auto& [step, perplexity] : points) {
      auto& [count, sum] = sums[step];
      ++count;
      sum += perplexity;
    }
  }
  std::vector<CurvePoint> mean;
  for (const auto& [step, entry] : sums) {
    if (entry.first == curves.size()) mean.push_back({step, entry.second / static_cast<double>(entry.first)});
  }
  return mean;
}

std::vector<std::vector<CurvePoint>> parts_below(const std::vector<CurvePoint>& curve, double top) {
  std::vector<std::vector<CurvePoint>> parts;
  bool open = false;  // whether the last part still grows
  const CurvePoint* previous = nullptr;
  for (const auto& point : curve) {
    if (!can_be_drawn(point)) {
      open = false;
      previous = nullptr;
      continue;
    }
    if (point.perplexity <= top) {
      if (!open) {
        parts.emplace_back();
        if (previous != nullptr) parts.back().push_back(crossing(*previous, point, top));
      }
      parts.back().push_back(point);
      open = true;
    } else {
      if (open) parts.back().push_back(crossing(*previous, point, top));
      open = false;
    }
    previous = &point;
  }
  return parts;
}

std::vector<std::vector<CurvePoint>> curves_of(const Row& row) {
  const bool any = std::any_of(row.runs.begin(), row.runs.end(), is_finished);
  std::vector<std::vector<CurvePoint>> curves;
  for (const auto& run : row.runs) {
    if (!run.curve.empty() && (!any || is_finished(run))) curves.push_back(run.curve);
  }
  return curves;
}

std::optional<std::int64_t> step_of_reaching(const Row& baseline, const Row& row) {
  const auto goal = mean_curve(curves_of(baseline)), curve = mean_curve(curves_of(row));
  if (goal.empty() || !row.same_subwords) return std::nullopt;
  const auto found = std::ranges::find_if(
      curve, [&](const CurvePoint& point) { return point.perplexity <= goal.back().perplexity; });
  return found == curve.end() ? std::nullopt : std::optional(found->step);
}

}  // namespace transformer::report
