#include "transformer/report/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "transformer/base/choices.h"
#include "transformer/report/escape.h"

namespace transformer::report {
namespace {

/// A tenth of a pixel is as fine as it need be.
std::string place(double value) {
  const double rounded = std::round(value * 10) / 10;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string hint_element(std::string_view hint) {
  return hint.empty() ? std::string() : fmt::format("<title>{}</title>", escape_markup(hint));
}

std::string_view name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  no_such_choice();
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::string_view chart_style() {
  return R"(.chart { font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 12px; }
.chart text { fill: #222; }
.chart .small { font-size: 11px; fill: #555; }
.chart .panel { font-size: 13px; font-weight: bold; }
.chart .ground { fill: #fff; }
.chart .grid { stroke: #e2e2e2; stroke-width: 1; }
.chart .axis { stroke: #777; stroke-width: 1; }
.chart .leader { stroke: #999; stroke-width: 0.7; }
.chart .level { stroke: #777; stroke-width: 1; stroke-dasharray: 3 3; }
.chart .c0 { fill: #0072b2; stroke: #0072b2; }
.chart .c1 { fill: #d55e00; stroke: #d55e00; }
.chart .c2 { fill: #009e73; stroke: #009e73; }
.chart .c3 { fill: #b0508c; stroke: #b0508c; }
.chart .c4 { fill: #c98a00; stroke: #c98a00; }
.chart .c5 { fill: #3a9fd8; stroke: #3a9fd8; }
.chart .c6 { fill: #6f4fa0; stroke: #6f4fa0; }
.chart .c7 { fill: #8c564b; stroke: #8c564b; }
.chart .base { fill: #8a8a8a; stroke: #8a8a8a; }
.chart .bar { stroke-width: 1; stroke-opacity: 0.55; }
.chart .mean { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.chart .seed { fill: none; stroke-width: 0.8; stroke-opacity: 0.45; stroke-linejoin: round; }
.chart .mean.base { stroke-width: 3.5; stroke-opacity: 0.6; }
.chart .dash1 { stroke-dasharray: 6 3; }
.chart .dash2 { stroke-dasharray: 2 2; }
)";
}

std::string curve_style(std::size_t i) {
  constexpr std::size_t kColours = 8;
  std::string style = fmt::format("c{}", i % kColours);
  if (const auto dash = i / kColours % 3; dash > 0) style += fmt::format(" dash{}", dash);
  return style;
}

std::string_view dark_chart_style() {
  return R"(.chart text { fill: #ddd; }
.chart .small { fill: #aaa; }
.chart .ground { fill: #161a1f; }
.chart .grid { stroke: #2c3238; }
.chart .axis, .chart .leader, .chart .level { stroke: #8a8f95; }
.chart .c0 { fill: #4da3e0; stroke: #4da3e0; }
.chart .c1 { fill: #ff8a3c; stroke: #ff8a3c; }
.chart .c2 { fill: #2cc79b; stroke: #2cc79b; }
.chart .c3 { fill: #e58fc4; stroke: #e58fc4; }
.chart .c4 { fill: #f0b840; stroke: #f0b840; }
.chart .c5 { fill: #8fd0f7; stroke: #8fd0f7; }
.chart .c6 { fill: #b39ae6; stroke: #b39ae6; }
.chart .c7 { fill: #cb9a8e; stroke: #cb9a8e; }
.chart .base { fill: #999; stroke: #999; }
.chart .mean, .chart .seed { fill: none; }
)";
}

double text_width(std::string_view text) {
  std::size_t characters = 0;
  for (const char c : text) characters += continues_character(c) ? 0 : 1;
  return 0.62 * font_size * static_cast<double>(characters);
}

std::string shorten(std::string_view text, std::size_t characters) {
  std::size_t seen = 0, end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues_character(text[i])) continue;
    ++seen;
    if (seen == characters) end = i;
    if (seen > characters) return std::string(text.substr(0, end)) + "…";
  }
  return std::string(text);
}

Svg::Svg(std::string_view id, double width, double height, std::string_view title,
         std::string_view description, Ground ground) {
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
      "{0} {1}\" role=\"img\" aria-labelledby=\"{2}-title {2}-description\">\n"
      "<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-description\">{4}</desc>\n",
      place(width), place(height), id, escape_markup(title), escape_markup(description));
  switch (ground) {
    case Ground::white:
      text_ += fmt::format("<style>\n{}</style>\n", chart_style());
      break;
    case Ground::page:
      break;
  }
  rectangle({0, 0}, width, height, "ground");
}

void Svg::line(Point from, Point to, std::string_view style) {
  text_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", place(from.x),
                       place(from.y), place(to.x), place(to.y), style);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view style, std::string_view hint) {
  std::string places;
  for (const auto& point : points) {
    if (!places.empty()) places += ' ';
    places += place(point.x) + "," + place(point.y);
  }
  text_ +=
      fmt::format("<polyline points=\"{}\" class=\"{}\">{}</polyline>\n", places, style, hint_element(hint));
}

void Svg::rectangle(Point corner, double width, double height, std::string_view style) {
  text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n", place(corner.x),
                       place(corner.y), place(width), place(height), style);
}

void Svg::text(Point at, std::string_view text, std::string_view style, Anchor anchor) {
  text_ += fmt::format(R"(<text x="{}" y="{}" text-anchor="{}")", place(at.x), place(at.y), name_of(anchor));
  if (!style.empty()) text_ += fmt::format(R"( class="{}")", style);
  text_ += fmt::format(">{}</text>\n", escape_markup(text));
}

void Svg::upright_text(Point at, std::string_view text) {
  text_ += fmt::format("<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                       place(at.x), place(at.y), escape_markup(text));
}

void Svg::marker(Point at, std::size_t shape, std::string_view style, std::string_view hint) {
  constexpr std::array<std::string_view, 5> shapes = {
      "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",  // circle
      "M-4 -4h8v8h-8z",                                 // square
      "M0 -5.2L5 4H-5z",                                // triangle
      "M0 -5.8L5.8 0L0 5.8L-5.8 0z",                    // diamond
      "M0 5.2L5 -4H-5z",                                // triangle, upside down
  };
  text_ += fmt::format("<path d=\"{}\" transform=\"translate({} {})\" class=\"{}\">{}</path>\n",
                       shapes.at(shape % shapes.size()), place(at.x), place(at.y), style, hint_element(hint));
}

void Svg::axes(const Scale& x, const Scale& y, std::string_view x_label, std::string_view y_label,
               int x_ticks, int y_ticks) {
  for (const double value : ticks(x, x_ticks)) {
    line({x(value), y.from}, {x(value), y.to}, "grid");
    text({x(value), y.from + 16}, tick_label(value), "small", Anchor::middle);
  }
  for (const double value : ticks(y, y_ticks)) {
    line({x.from, y(value)}, {x.to, y(value)}, "grid");
    text({x.from - 6, y(value) + 4}, tick_label(value), "small", Anchor::end);
  }
  line({x.from, y.from}, {x.to, y.from}, "axis");
  line({x.from, y.from}, {x.from, y.to}, "axis");
  text({(x.from + x.to) / 2, y.from + 34}, x_label, {}, Anchor::middle);
  upright_text({x.from - 38, (y.from + y.to) / 2}, y_label);
}

std::string Svg::finish() && {
  return std::move(text_) + "</svg>\n";
}

}  // namespace transformer::report
