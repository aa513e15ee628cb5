#include "transformer/report/power_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace transformer::report {
namespace {

constexpr double plot_left = 66, plot_width = 330, plot_height = 270, plot_legend = 430, plot_title = 28,
                 plot_axis = 50, page_title = 28;
constexpr double panel_width = plot_left + plot_width + plot_legend;
constexpr std::size_t legend_length = 56;  ///< characters that fit

struct Ends {
  double low = 0, high = 0;

  void include(double value) {
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
};

double panel_height(const PowerPanel& panel) {
  const auto lines = static_cast<double>(panel.curves.size() + panel.marks.size() + 1);
  return plot_title + std::max(plot_height, lines * line_height) + plot_axis;
}

void draw_power_panel(Svg& svg, const PowerPanel& panel, Point corner) {
  Ends of_x, of_y;
  for (const auto& curve : panel.curves) {
    for (const auto& point : curve.points) {
      of_x.include(point.x);
      of_y.include(point.y);
    }
  }
  const double left = corner.x + plot_left, right = left + plot_width, top = corner.y + plot_title,
               bottom = top + plot_height;
  svg.text({left, top - 9}, panel.title, "panel");
  if (of_x.low == 0) {
    svg.text({(left + right) / 2, (top + bottom) / 2}, "Nothing was measured.", {}, Anchor::middle);
    return;
  }
  const auto x = make_scale(true, of_x.low, of_x.high, left, right, 0.04);
  const auto y = make_scale(true, of_y.low, of_y.high, bottom, top, 0.04);
  svg.axes(x, y, panel.x_label, panel.y_label, 3, 3);

  double legend = top + 8;
  const auto next_line = [&](const std::string& style, const std::string& name) {
    svg.polyline({{right + 12, legend}, {right + 32, legend}}, style);
    svg.text({right + 37, legend + 4}, shorten(name, legend_length));
    legend += line_height;
  };
  for (const auto& mark : panel.marks) {
    if (mark.x >= x.low && mark.x <= x.high) svg.line({x(mark.x), bottom}, {x(mark.x), top}, "level");
  }
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const auto& curve = panel.curves[i];
    const auto colour = fmt::format("c{}", i % 8);
    std::vector<Point> places;
    for (const auto& point : curve.points) places.push_back({x(point.x), y(point.y)});
    if (places.size() > 1) svg.polyline(places, "mean " + curve_style(i), curve.name);
    for (const auto& place : places) svg.marker(place, i, colour, curve.name);
    next_line("mean " + curve_style(i), curve.name);
  }
  for (const auto& mark : panel.marks) next_line("level", mark.name);
}

}  // namespace

std::string power_curves_svg(std::string_view title, std::string_view description,
                             const std::vector<PowerPanel>& panels) {
  double height = page_title;
  std::vector<Point> corners;
  for (std::size_t i = 0; i < panels.size(); i += 2) {
    double line = panel_height(panels[i]);
    corners.push_back({0, height});
    if (i + 1 < panels.size()) {
      corners.push_back({panel_width, height});
      line = std::max(line, panel_height(panels[i + 1]));
    }
    height += line;
  }
  Svg svg("power-curves", panel_width * (panels.size() > 1 ? 2 : 1), height, title, description,
          Ground::white);
  svg.text({plot_left, 18}, title, "panel");
  for (std::size_t i = 0; i < panels.size(); ++i) draw_power_panel(svg, panels[i], corners[i]);
  return std::move(svg).finish();
}

}  // namespace transformer::report
