#include "transformer/report/run_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "transformer/report/curves.h"
#include "transformer/report/escape.h"
#include "transformer/report/score.h"
#include "transformer/report/svg.h"

namespace transformer::report {
namespace {

struct Measure {
  std::string key;
  std::string title;
  std::string unit;
  bool logarithmic = false;
  bool noisy = true;  ///< so that it may be smoothed
};

std::vector<Measure> measures_of(const std::vector<WatchedRun>& runs) {
  std::vector<Measure> measures = {
      {.key = "loss", .title = "Loss (label-smoothed)", .unit = "nats a token"},
      {.key = "perplexity", .title = "Perplexity per subword", .unit = "perplexity", .logarithmic = true}};
  for (const auto& score : scores_of(runs))
    measures.push_back({.key = score.id, .title = score.title + " of the dev set", .unit = score.title});
  measures.insert(
      measures.end(),
      {{.key = "learning_rate", .title = "Learning rate", .unit = "learning rate", .noisy = false},
       {.key = "gradient_norm",
        .title = "Gradient norm, before clipping",
        .unit = "norm",
        .logarithmic = true},
       {.key = "tokens_per_second", .title = "Speed", .unit = "target tokens/s"}});
  return measures;
}

constexpr double kWidth = 600, kHeight = 320, kLeft = 66, kRight = 574, kTop = 30, kBottom = 270;
constexpr std::size_t kMostPoints = 400;  // of a curve: what a chart's width can show

/// The dev set's lines repeat some of the training's; of speed, they have that of the evaluation.
bool is_of_training(const Measure& measure) {
  return measure.key == "learning_rate" || measure.key == "tokens_per_second";
}

struct Extent {
  double low = 0, high = 0;
};

Extent extent_of(const std::vector<Series>& curves, double SeriesPoint::*side) {
  std::optional<Extent> range;
  for (const auto& curve : curves)
    for (const auto& point : curve.points) {
      if (!range) range = Extent{point.*side, point.*side};
      range->low = std::min(range->low, point.*side);
      range->high = std::max(range->high, point.*side);
    }
  return range.value_or(Extent{});
}

/// What is drawn of a measure: curves with a point or more.
std::vector<Series> curves_of(const std::vector<WatchedRun>& runs, const Measure& measure,
                              const RunPageOptions& options) {
  auto curves = series_of(runs, measure.key, options.over);
  for (auto& curve : curves) {
    if (measure.logarithmic)
      std::erase_if(curve.points, [](const auto& point) { return !(point.y > 1e-30); });
    if (!curve.dev && measure.noisy) curve.points = smoothed(std::move(curve.points), options.smooth);
    curve.points = thin_out(curve.points, kMostPoints);
  }
  std::erase_if(curves, [&](const Series& curve) {
    return curve.points.empty() || (curve.dev && is_of_training(measure));
  });
  return curves;
}

void draw(Svg& svg, const std::vector<Point>& points, const std::string& style, const std::string& name) {
  if (points.size() == 1) {
    svg.marker(points[0], 0, style, name);
  } else {
    svg.polyline(points, style);
  }
}

std::string chart(const std::vector<WatchedRun>& runs, const std::vector<Series>& curves,
                  const Measure& measure, RunAxis over) {
  const auto across = extent_of(curves, &SeriesPoint::x), up = extent_of(curves, &SeriesPoint::y);
  const auto x_unit = unit_of(over, across.high);
  const auto y_unit = measure.logarithmic ? Unit{1, measure.unit} : decimal_unit(measure.unit, up.high);
  const auto x = make_scale(false, 0, across.high / x_unit.size, kLeft, kRight);
  const auto y =
      make_scale(measure.logarithmic, up.low / y_unit.size, up.high / y_unit.size, kBottom, kTop, 0.04);
  const bool both = std::ranges::any_of(curves, &Series::dev) && !std::ranges::all_of(curves, &Series::dev);
  Svg svg(fmt::format("run-{}", measure.key), kWidth, kHeight, measure.title,
          fmt::format("{} curves over {}.", curves.size(), x_unit.name), Ground::page);
  svg.text({kLeft, 18}, measure.title, "panel");
  svg.axes(x, y, x_unit.name, y_unit.name, 6, 5);
  nlohmann::ordered_json numbers = {{"x", x_unit.name.starts_with("10") ? "× " + x_unit.name : x_unit.name},
                                    {"y", measure.unit},
                                    {"top", kTop},
                                    {"bottom", kBottom},
                                    {"curves", nlohmann::json::array()}};
  for (const auto& curve : curves) {
    const auto name = fmt::format("{}{}", clean(runs[curve.run].name),
                                  !both       ? ""
                                  : curve.dev ? ", dev"
                                              : ", train");
    std::vector<Point> points;
    auto places = nlohmann::json::array();
    for (const auto& [over_value, value] : curve.points) {
      points.push_back({x(over_value / x_unit.size), y(value / y_unit.size)});
      places.push_back({std::round(points.back().x * 10) / 10, std::round(points.back().y * 10) / 10,
                        over_value / x_unit.size, value});
    }
    const bool thin = both && !curve.dev;
    draw(svg, points, (thin ? "training " : "mean ") + curve_style(curve.run), name);
    numbers["curves"].push_back({{"name", name}, {"style", curve_style(curve.run)}, {"points", places}});
  }
  return fmt::format("<figure class=\"curves\" data-curves=\"{}\">\n{}</figure>\n",
                     escape_markup(numbers.dump()), std::move(svg).finish());
}

}  // namespace

std::string run_charts(const std::vector<WatchedRun>& runs, const RunPageOptions& options) {
  std::string text;
  for (const auto& measure : measures_of(runs))
    if (const auto curves = curves_of(runs, measure, options); !curves.empty())
      text += chart(runs, curves, measure, options.over);
  return text;
}

std::vector<std::string> unmeasured(const std::vector<WatchedRun>& runs) {
  std::vector<std::string> titles;
  for (const auto& measure : measures_of(runs))
    if (curves_of(runs, measure, {}).empty()) titles.emplace_back(measure.title);
  return titles;
}

}  // namespace transformer::report
