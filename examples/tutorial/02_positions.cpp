// Page 2: section 3.5.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "examples/tutorial/page.h"
#include "transformer/nn/frequencies.h"
#include "transformer/nn/positional_encoding.h"
#include "transformer/report/svg.h"

using namespace transformer;
using nn::Positions;

namespace {

const double kTwoPi = 2 * std::acos(-1.0);

/// Dimensions 4 to 7 of 20 over 100 positions, as curves.
std::string curves() {
  const auto table = nn::sinusoids(Positions::interleaved, 100, 20);
  const auto x = report::make_scale(false, 0, 99, 50, 680), y = report::make_scale(false, -1, 1, 220, 20);
  report::Svg svg("curves", 700, 290, "Sinusoids of four dimensions",
                  "Dimensions 4 and 5 repeat after 39.6 positions, 6 and 7 after 99.6.",
                  report::Ground::white);
  svg.axes(x, y, "position", "value", 10, 5);
  for (int dimension = 4; dimension < 8; ++dimension) {
    std::vector<report::Point> points;
    for (int p = 0; p < 100; ++p) points.push_back({x(p), y(table[p][dimension].item<double>())});
    const auto style = fmt::format("mean c{}", dimension - 4);
    svg.polyline(points, style);
    const double left = 60 + 150 * (dimension - 4);
    svg.line({left, 275}, {left + 25, 275}, style);
    svg.text({left + 32, 279}, fmt::format("dimension {}", dimension));
  }
  return std::move(svg).finish();
}

/// 20 positions downwards, 64 dimensions to the right, in nine shades from -1 (dark) to 1 (light): a layout a
/// panel, each shade one path.
std::string heat_map() {
  std::string text =
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 545" width="660" height="545">)"
      "\n<rect width=\"660\" height=\"545\" fill=\"#fff\"/>\n";
  int top = 0;
  for (const auto layout : {Positions::interleaved, Positions::halves, Positions::tensor2tensor}) {
    const auto shades = ((nn::sinusoids(layout, 20, 64) + 1) * 4).round().to(torch::kInt);
    std::array<std::string, 9> paths;
    for (int i = 0; i < 64; ++i)
      for (int p = 0, end = 0; p < 20; p = end) {
        const int shade = shades[p][i].item<int>();
        for (end = p; end < 20 && shades[end][i].item<int>() == shade; ++end)
          continue;  // alike, one below the other
        paths.at(static_cast<std::size_t>(shade)) += fmt::format("M{} {}h1v{}h-1z", i, p, end - p);
      }
    text += fmt::format("<text x=\"10\" y=\"{}\" font-family=\"sans-serif\" font-size=\"13\">{}</text>\n",
                        top + 15, nn::name_of(layout));
    for (int shade = 0; shade < 9; ++shade)
      text += fmt::format(
          "<path transform=\"translate(10 {0}) scale(10 8)\" fill=\"rgb({1},{1},{2})\" d=\"{3}\"/>\n",
          top + 20, 28 * shade, 60 + 22 * shade, paths.at(static_cast<std::size_t>(shade)));
    top += 181;
  }
  return text + "</svg>\n";
}

}  // namespace

void tutorial::positions() {
  section("layouts");
  for (const auto layout : {Positions::interleaved, Positions::halves, Positions::tensor2tensor})
    show(nn::name_of(layout), nn::sinusoids(layout, 3, 4).slice(0, 1), 6);  // positions 1 and 2

  section("boy");
  const auto boy = nn::sinusoids(Positions::interleaved, 4, 512)[3];
  show("dimensions 0 to 5", boy.slice(0, 0, 6), 6);
  show("510 and 511", boy.slice(0, 510), 6);
  const double misprint = 3 / std::pow(1000, 4.0 / 512);
  show("2, 3 as printed", matrix({std::sin(misprint), std::cos(misprint)}, 2), 6);

  section("wavelengths");
  for (const int pair : {0, 2, 3, 9})
    show(fmt::format("20 wide, {} and {}", 2 * pair, 2 * pair + 1), kTwoPi / nn::frequency(pair, 10), 4);
  show("512 wide, last, / 2π", 1 / nn::frequency(255, nn::sinusoid_denominator({}, 512)), 1);
  show("in tensor2tensor", 1 / nn::frequency(255, nn::sinusoid_denominator({.reach_the_end = true}, 512)), 1);

  section("rotation");
  const auto table = nn::sinusoids(Positions::interleaved, 60, 20).to(torch::kDouble);
  const double angle = 7 * nn::frequency(2, 10);  // seven positions on, dimensions 4 and 5
  const auto turn = matrix({std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)}, 2);
  for (const int position : {0, 10, 50}) {
    show(fmt::format("PE({}) turned", position), turn.matmul(table[position].slice(0, 4, 6)), 5);
    show(fmt::format("PE({})", position + 7), table[position + 7].slice(0, 4, 6), 5);
  }

  section("pictures");
  picture("curves.svg", curves());
  picture("layouts.svg", heat_map());
}
