// Learning curves made ready for drawing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transformer/report/report.h"

namespace transformer::report {

inline constexpr std::size_t most_curve_points =
    200;  ///< drawn of a curve; more would only make the file larger

/// Whether a point has its place on a logarithmic axis.
bool can_be_drawn(const CurvePoint& point);

/// At most so many points (two or more), evenly chosen, the first and the last among them.
template <typename T>
std::vector<T> thin_out(const std::vector<T>& curve, std::size_t most) {
  if (curve.size() <= most) return curve;
  std::vector<T> result;
  for (std::size_t i = 0; i < most; ++i) result.push_back(curve[i * (curve.size() - 1) / (most - 1)]);
  return result;
}

/// The mean over the curves at the steps that all of them have.
std::vector<CurvePoint> mean_curve(const std::vector<std::vector<CurvePoint>>& curves);

/// The parts of a curve that lie at `top` or below, each with a point at `top` where it enters or leaves.
/// Points that cannot be drawn end a part.
std::vector<std::vector<CurvePoint>> parts_below(const std::vector<CurvePoint>& curve, double top);

/// The curves of a row that count: of its finished runs if there are any, or else of all that have begun.
std::vector<std::vector<CurvePoint>> curves_of(const Row& row);

/// The first step at which a row's mean perplexity over seeds is at most the baseline's last one. Nothing if
/// it never is, or if the two are of different subwords.
std::optional<std::int64_t> step_of_reaching(const Row& baseline, const Row& row);

}  // namespace transformer::report
