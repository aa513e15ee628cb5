// A picture as SVG, element by element.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/report/axes.h"

namespace transformer::report {

struct Point {
  double x = 0, y = 0;
};

enum class Anchor { start, middle, end };

/// Where a picture is going to stand.
enum class Ground {
  white,  ///< a file of its own, which brings its style
  page,   ///< the report's HTML, whose style holds chart_style
};

/// CSS of all pictures, for a light ground, and what differs on a dark one.
std::string_view chart_style();
std::string_view dark_chart_style();

/// CSS classes of curve number i: a colour, and dashes where colours repeat.
std::string curve_style(std::size_t i);

inline constexpr double font_size = 12;    ///< pixels
inline constexpr double line_height = 15;  ///< pixels

/// About how wide a text gets, in pixels; no font is at hand to measure it.
double text_width(std::string_view text);

/// The text cut to so many characters, the last one being "…" if any was lost.
std::string shorten(std::string_view text, std::size_t characters);

/// Coordinates are pixels from the upper left corner, and finite; texts are not escaped. `style` names CSS
/// classes.
class Svg {
 public:
  /// `id` tells the pictures of a page apart. Title and description are for those who do not see it.
  Svg(std::string_view id, double width, double height, std::string_view title, std::string_view description,
      Ground ground);

  void line(Point from, Point to, std::string_view style);
  void polyline(const std::vector<Point>& points, std::string_view style, std::string_view hint = {});
  void rectangle(Point corner, double width, double height, std::string_view style);
  void text(Point at, std::string_view text, std::string_view style = {}, Anchor anchor = Anchor::start);
  /// Reads from below to above.
  void upright_text(Point at, std::string_view text);
  /// One of a few shapes; `hint` is shown when the pointer rests on it.
  void marker(Point at, std::size_t shape, std::string_view style, std::string_view hint = {});

  /// Axes with their grid and labels on the lower and left side of the box that the scales span.
  void axes(const Scale& x, const Scale& y, std::string_view x_label, std::string_view y_label, int x_ticks,
            int y_ticks);

  /// The whole picture.
  std::string finish() &&;

 private:
  std::string text_;
};

}  // namespace transformer::report
