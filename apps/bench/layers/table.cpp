#include "apps/bench/layers/table.h"

#include <algorithm>

#include "transformer/base/choices.h"

namespace transformer::bench {
namespace {

const std::vector<std::int64_t>& sizes_along(const LayerPlan& plan, Along along) {
  switch (along) {
    case Along::length:
      return plan.lengths;
    case Along::width:
      return plan.widths;
  }
  no_such_choice();
}

LayerShape shape_at(const LayerPlan& plan, Along along, std::int64_t size) {
  auto shape = plan.at;
  switch (along) {
    case Along::length:
      shape.length = size;
      return shape;
    case Along::width:
      shape.width = size;
      return shape;
  }
  no_such_choice();
}

std::int64_t fitted_from(const LayerPlan& plan, Along along) {
  switch (along) {
    case Along::length:
      return plan.fit_lengths;
    case Along::width:
      return plan.fit_widths;
  }
  no_such_choice();
}

}  // namespace

bool is_timed(LayerKind kind) {
  switch (kind) {
    case LayerKind::dilated_convolution:
      return false;
    case LayerKind::self_attention:
    case LayerKind::multi_head_attention:
    case LayerKind::additive_attention:
    case LayerKind::restricted_attention:
    case LayerKind::recurrent:
    case LayerKind::lstm:
    case LayerKind::convolution:
    case LayerKind::separable_convolution:
      return true;
  }
  no_such_choice();
}

std::vector<LayerShape> shapes_of(const LayerPlan& plan) {
  std::vector<LayerShape> shapes;
  for (const auto along : {Along::length, Along::width}) {
    for (const auto size : sizes_along(plan, along)) {
      const auto shape = shape_at(plan, along, size);
      if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
    }
  }
  return shapes;
}

std::vector<report::Point> seconds_along(const LayerResults& results, LayerKind kind, Along along) {
  std::vector<report::Point> curve;
  for (const auto size : sizes_along(results.plan, along)) {
    const auto shape = shape_at(results.plan, along, size);
    for (const auto& point : results.points)
      if (point.kind == kind && point.shape == shape)
        curve.push_back({static_cast<double>(size), point.seconds()});
  }
  return curve;
}

std::vector<report::Point> operations_along(const LayerPlan& plan, LayerKind kind, Along along) {
  std::vector<report::Point> curve;
  for (const auto size : sizes_along(plan, along))
    curve.push_back({static_cast<double>(size), operations(kind, shape_at(plan, along, size))});
  return curve;
}

Growth growth_of(const LayerResults& results, LayerKind kind, Along along) {
  const auto& sizes = sizes_along(results.plan, along);
  if (sizes.empty()) return {};
  const auto from = static_cast<double>(fitted_from(results.plan, along)),
             to = static_cast<double>(sizes.back());
  return {report::fit_power_law(seconds_along(results, kind, along), from, to),
          report::fit_power_law(operations_along(results.plan, kind, along), from, to)};
}

std::optional<double> seconds_crossing(const LayerResults& results, const Rivals& pair) {
  return report::crossing_of(seconds_along(results, pair.attention, Along::length),
                             seconds_along(results, pair.recurrence, Along::length));
}

}  // namespace transformer::bench
