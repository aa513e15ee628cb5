#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "transformer/report/curves.h"
#include "transformer/report/figures.h"
#include "transformer/report/format.h"
#include "transformer/report/statistics.h"

namespace transformer::report {
namespace {

/// The picture ends between so many times the best perplexity, as far up as the rows' ends need: what tells
/// rows apart happens below, and one that has diverged must not flatten the others.
constexpr double least_visible_range = 2.5, most_visible_range = 8;

constexpr double left = 58, legend_width = 178, title_height = 26, axis_height = 52, header = 24, footer = 22;
constexpr std::size_t name_length = 19;  ///< characters that fit into the legend

/// What is drawn of a row.
struct Curves {
  const Row* row = nullptr;
  std::vector<CurvePoint> mean;                ///< or the only one
  std::vector<std::vector<CurvePoint>> seeds;  ///< if there are several
};

/// Rows of one letter.
struct Panel {
  std::string group;
  std::vector<const Curves*> rows;
};

struct Range {
  double least = 0, top = 0;
  std::int64_t steps = 0;
};

struct Layout {
  std::size_t columns = 1;
  double plot_width = 0, plot_height = 0;

  double panel_width() const { return left + plot_width + legend_width; }
  double panel_height() const { return title_height + plot_height + axis_height; }
};

std::vector<Curves> collect(const Report& report) {
  std::vector<Curves> result;
  for (const auto& row : report.rows) {
    auto curves = curves_of(row);
    if (curves.empty()) continue;
    Curves drawn{&row, thin_out(mean_curve(curves), most_curve_points), {}};
    for (std::size_t i = 0; i < curves.size() && curves.size() > 1; ++i)
      drawn.seeds.push_back(thin_out(curves[i], most_curve_points));
    result.push_back(std::move(drawn));
  }
  return result;
}

/// How high the baseline stands in the second half of its updates: all that is compared with it begins there.
double top_of_baseline(const std::vector<CurvePoint>& curve) {
  double top = 0;
  for (const auto& point : curve)
    if (2 * point.step >= curve.back().step && can_be_drawn(point)) top = std::max(top, point.perplexity);
  return top;
}

/// Nothing if no point can be drawn.
std::optional<Range> range_of(const std::vector<Curves>& rows, const Row* baseline) {
  std::optional<Range> range;
  const auto include = [&](const std::vector<CurvePoint>& curve) {
    for (const auto& point : curve) {
      if (!can_be_drawn(point)) continue;
      if (!range) range = Range{point.perplexity, point.perplexity, point.step};
      range->least = std::min(range->least, point.perplexity);
      range->top = std::max(range->top, point.perplexity);
      range->steps = std::max(range->steps, point.step);
    }
  };
  for (const auto& row : rows) {
    include(row.mean);
    for (const auto& seed : row.seeds) include(seed);
  }
  if (!range) return range;
  double top = least_visible_range * range->least;
  for (const auto& row : rows) {
    if (row.row == baseline) top = std::max(top, 1.05 * top_of_baseline(row.mean));
    if (row.mean.empty() || !can_be_drawn(row.mean.back())) continue;
    const double end = 1.2 * row.mean.back().perplexity;
    if (end < most_visible_range * range->least) top = std::max(top, end);
  }
  range->top = std::min(range->top, top);
  return range;
}

/// The baseline is no panel of its own, unless there is nothing else.
std::vector<Panel> arrange(const std::vector<Curves>& rows, const Row* baseline) {
  std::vector<Panel> panels;
  for (const auto& row : rows) {
    if (row.row == baseline && rows.size() > 1) continue;
    auto panel = std::find_if(panels.begin(), panels.end(),
                              [&](const Panel& other) { return other.group == row.row->group; });
    if (panel == panels.end()) panel = panels.insert(panel, {row.row->group, {}});
    panel->rows.push_back(&row);
  }
  // The baseline comes first in the legend, and below the others in the picture.
  const auto base =
      std::find_if(rows.begin(), rows.end(), [&](const Curves& row) { return row.row == baseline; });
  for (auto& panel : panels) {
    if (base != rows.end() && panel.rows[0] != &*base) panel.rows.insert(panel.rows.begin(), &*base);
  }
  return panels;
}

Layout lay_out(const std::vector<Panel>& panels) {
  std::size_t most = 0;
  for (const auto& panel : panels) most = std::max(most, panel.rows.size());
  Layout layout;
  const bool single = panels.size() == 1;
  layout.columns = single ? 1 : 2;
  layout.plot_width = single ? 680 : 300;
  layout.plot_height = std::max(single ? 380.0 : 230.0, line_height * static_cast<double>(most));
  return layout;
}

void draw_curve(Svg& svg, const std::vector<CurvePoint>& curve, const Scale& x, const Scale& y,
                const std::string& style, const std::string& name) {
  for (const auto& part : parts_below(curve, y.high)) {
    std::vector<Point> points;
    points.reserve(part.size());
    for (const auto& point : part)
      points.push_back({x(static_cast<double>(point.step)), y(point.perplexity)});
    if (points.size() == 1) {
      svg.marker(points[0], 0, style, name);
    } else {
      svg.polyline(points, style, name);
    }
  }
}

void draw_panel(Svg& svg, const Panel& panel, Point corner, const Layout& layout, const Range& range,
                const Row* baseline) {
  const double right = corner.x + left + layout.plot_width;
  const double top = corner.y + title_height;
  const auto x = make_scale(false, 0, static_cast<double>(range.steps), corner.x + left, right);
  auto y = make_scale(true, range.least, range.top, top + layout.plot_height, top, 0.03);
  const std::string others = layout.columns == 1 ? "" : "other rows";
  svg.text({corner.x + left, top - 8},
           panel.group.empty() ? others : fmt::format("({})", shorten(panel.group, 40)), "panel");
  svg.axes(x, y, "updates", "perplexity", layout.columns == 1 ? 7 : 3, 4);

  double legend_y = top + 8;
  std::size_t colour = 0;
  for (const auto* row : panel.rows) {
    std::string style = "base";
    if (row->row != baseline) style = curve_style(colour++);
    const std::string name = display_name(row->row->name);
    for (const auto& seed : row->seeds) draw_curve(svg, seed, x, y, "seed " + style, name);
    draw_curve(svg, row->mean, x, y, "mean " + style, name);
    const bool leaves =
        !row->mean.empty() && (!can_be_drawn(row->mean.back()) || row->mean.back().perplexity > y.high);
    svg.polyline({{right + 12, legend_y}, {right + 32, legend_y}}, "mean " + style);
    svg.text({right + 37, legend_y + 4}, shorten(name, name_length) + (leaves ? " ↑" : ""));
    legend_y += line_height;
  }
}

}  // namespace

std::string draw_learning_curves(const Report& report, Ground ground) {
  const auto rows = collect(report);
  const Row* baseline = baseline_of(report);
  const auto range = range_of(rows, baseline);
  const auto panels = range ? arrange(rows, baseline) : std::vector<Panel>{};
  const Layout layout = lay_out(panels);
  const std::size_t lines = (panels.size() + layout.columns - 1) / layout.columns;
  const double width = panels.empty() ? 600 : static_cast<double>(layout.columns) * layout.panel_width();
  const double height =
      panels.empty() ? 120 : header + static_cast<double>(lines) * layout.panel_height() + footer;
  Svg svg("learning-curves", width, height, "Learning curves",
          fmt::format(
              "Perplexity of the dev set against updates, on a logarithmic axis, of {} rows in {} panels.",
              rows.size(), panels.size()),
          ground);
  svg.text(
      {left, 16},
      fmt::format("Perplexity per subword{}", report.dev.empty() ? "" : " of " + shorten(report.dev, 60)),
      "panel");
  if (panels.empty()) {
    svg.text({width / 2, height / 2 + 10}, "No run has been evaluated yet.", {}, Anchor::middle);
    return std::move(svg).finish();
  }
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t line = i / layout.columns, column = i % layout.columns;
    const Point corner{static_cast<double>(column) * layout.panel_width(),
                       header + static_cast<double>(line) * layout.panel_height()};
    draw_panel(svg, panels[i], corner, layout, *range, baseline);
  }
  svg.text({width - 12, height - 8},
           "Grey: the baseline. Thin: single seeds, where there are several. ↑: ends above the picture, or "
           "not in a number.",
           "small", Anchor::end);
  return std::move(svg).finish();
}

std::string learning_curves_svg(const Report& report) {
  return draw_learning_curves(report, Ground::white);
}

}  // namespace transformer::report
