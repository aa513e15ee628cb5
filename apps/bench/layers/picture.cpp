// Results as curves.
#include <fmt/format.h>

#include "apps/bench/layers/table.h"
#include "transformer/report/power_curves.h"

namespace transformer::bench {
namespace {

/// "LSTM: d^2.03, O(n d²)"
std::string legend_of(LayerKind kind, const std::optional<report::PowerLaw>& law, const char* variable) {
  return fmt::format("{}: {}{}", name_of(kind),
                     law ? fmt::format("{}^{:.2f}, ", variable, law->exponent) : "",
                     stated_costs(kind).complexity);
}

/// In another unit.
std::vector<report::Point> times(double factor, std::vector<report::Point> curve) {
  for (auto& point : curve) point.y *= factor;
  return curve;
}

report::PowerPanel panel_of(const LayerResults& results, Along along, bool seconds) {
  const bool length = along == Along::length;
  const auto& plan = results.plan;
  report::PowerPanel panel{
      .title = fmt::format("{} over {}, {} = {}", seconds ? "Time" : "Operations", length ? "n" : "d",
                           length ? "d" : "n", length ? plan.at.width : plan.at.length),
      .x_label = length ? "n, positions" : "d, width",
      .y_label = seconds ? "milliseconds, forward and backward" : "million operations, forward",
      .curves = {}};
  for (const auto kind : layer_kinds()) {
    if (!is_timed(kind)) continue;
    const auto growth = growth_of(results, kind, along);
    panel.curves.push_back({legend_of(kind, seconds ? growth.seconds : growth.operations, length ? "n" : "d"),
                            seconds ? times(1e3, seconds_along(results, kind, along))
                                    : times(1e-6, operations_along(plan, kind, along))});
  }
  for (const auto& pair : rivals()) {
    if (!length) break;
    const auto at =
        seconds ? seconds_crossing(results, pair) : std::optional<double>(operations_crossing(pair, plan.at));
    if (at) panel.marks.push_back({*at, fmt::format("n = {:.0f}: as {}", *at, name_of(pair.recurrence))});
  }
  return panel;
}

}  // namespace

std::string layers_svg(const LayerResults& results) {
  std::vector<report::PowerPanel> panels;
  for (const bool seconds : {true, false}) {
    for (const auto along : {Along::length, Along::width}) {
      if ((along == Along::length ? results.plan.lengths : results.plan.widths).empty()) continue;
      panels.push_back(panel_of(results, along, seconds));
    }
  }
  return report::power_curves_svg(
      "Table 1, measured",
      "Time and operations of the kinds of layers over length and width, on logarithmic axes.", panels);
}

}  // namespace transformer::bench
