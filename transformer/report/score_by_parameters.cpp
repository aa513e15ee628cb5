#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "transformer/report/figures.h"
#include "transformer/report/format.h"
#include "transformer/report/labels.h"
#include "transformer/report/statistics.h"

namespace transformer::report {
namespace {

constexpr double width = 960, height = 572;
constexpr Box frame{60, 46, 940, 505};
constexpr double kLeastRatio = 1.25;  ///< of the sizes at the axis's ends
constexpr double neighbour = 5;       ///< pixels between points that would lie upon each other

/// A row in the picture.
struct RowMark {
  const Row* row = nullptr;
  double millions = 0;
  double score = 0, low = 0, high = 0;
  std::size_t group = 0;
  Point at = {};
};

/// The interval over the dev set's sentences, or else the deviation over the seeds.
void set_error_bar(RowMark& mark, const Row& row, const Summary& score) {
  double half = 0;
  double middle = mark.score;
  if (row.score_interval) {
    half = row.score_interval->half_width;
    middle = row.score_interval->mean;
  } else if (score.deviation) {
    half = *score.deviation;
  }
  if (!std::isfinite(half) || !std::isfinite(middle)) return;
  mark.low = middle - half;
  mark.high = middle + half;
}

std::vector<std::string> groups_of(const Report& report) {
  std::vector<std::string> groups;
  for (const auto& row : report.rows) {
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end()) groups.push_back(row.group);
  }
  return groups;
}

std::vector<RowMark> marks_of(const Report& report, const std::vector<std::string>& groups) {
  std::vector<RowMark> marks;
  for (const auto& row : report.rows) {
    const auto score = score_of(row);
    if (score.count == 0 || !std::isfinite(score.mean) || row.parameters <= 0) continue;
    RowMark mark{&row, static_cast<double>(row.parameters) / 1e6, score.mean, score.mean, score.mean};
    set_error_bar(mark, row, score);
    mark.group =
        static_cast<std::size_t>(std::find(groups.begin(), groups.end(), row.group) - groups.begin());
    marks.push_back(mark);
  }
  return marks;
}

/// Points of the same size are drawn side by side, so that their error bars can be told apart.
void spread(std::vector<RowMark>& marks) {
  std::vector<RowMark*> order;
  order.reserve(marks.size());
  for (auto& mark : marks) order.push_back(&mark);
  std::stable_sort(order.begin(), order.end(),
                   [](const RowMark* a, const RowMark* b) { return a->at.x < b->at.x; });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && order[end]->at.x - order[first]->at.x < neighbour) ++end;
    const auto size = static_cast<double>(end - first);
    // Many points share what room there is.
    const double step = std::min(neighbour, 60 / size);
    const double middle = (order[first]->at.x + order[end - 1]->at.x) / 2;
    for (std::size_t i = first; i < end && size > 1; ++i)
      order[i]->at.x = middle + (static_cast<double>(i - first) - (size - 1) / 2) * step;
    first = end;
  }
}

std::string style_of(const RowMark& mark, const Row* baseline) {
  return mark.row == baseline ? "base" : fmt::format("c{}", mark.group % 8);
}

void draw_legend(Svg& svg, const std::vector<std::string>& groups, const std::vector<RowMark>& marks,
                 const Row* baseline) {
  if (groups.size() < 2) return;
  double x = frame.left + 6;
  for (std::size_t i = 0; i < groups.size() && x < frame.right - 60; ++i) {
    const bool shown = std::any_of(marks.begin(), marks.end(), [&](const RowMark& mark) {
      return mark.group == i && mark.row != baseline;
    });
    if (!shown) continue;
    const std::string name = groups[i].empty() ? "other" : fmt::format("({})", shorten(groups[i], 12));
    svg.marker({x, 32}, i, fmt::format("c{}", i % 8));
    svg.text({x + 9, 36}, name);
    x += 28 + text_width(name);
  }
}

void draw_labels(Svg& svg, const std::vector<RowMark>& marks, const Scale& y, const Row* baseline) {
  std::vector<Label> labels;
  std::vector<Box> obstacles;
  for (const auto& mark : marks) {
    labels.push_back({mark.at, text_width(shorten(display_name(mark.row->name), 24))});
    obstacles.push_back({mark.at.x - 6, mark.at.y - 6, mark.at.x + 6, mark.at.y + 6});
    obstacles.push_back({mark.at.x - 2, y(mark.high), mark.at.x + 2, y(mark.low)});
    if (mark.row == baseline) obstacles.push_back({frame.left, mark.at.y - 1, frame.right, mark.at.y + 1});
  }
  const auto boxes = place_labels(labels, obstacles, frame);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const auto& at = marks[i].at;
    const auto& box = boxes[i];
    const double middle = (box.top + box.bottom) / 2;
    const Point end{std::clamp(at.x, box.left, box.right), std::clamp(at.y, box.top + 2, box.bottom - 2)};
    if (std::hypot(end.x - at.x, end.y - at.y) > 14) svg.line(at, {end.x, end.y}, "leader");
    svg.text({box.left, middle + 4}, shorten(display_name(marks[i].row->name), 24));
  }
}

}  // namespace

std::string draw_score_by_parameters(const Report& report, Ground ground) {
  const auto groups = groups_of(report);
  auto marks = marks_of(report, groups);
  const Row* baseline = baseline_of(report);
  const auto& score = report.score.title;
  const auto title = score + (report.dev.empty() ? "" : " of " + shorten(report.dev, 60));
  Svg svg(report.score.id + "-by-parameters", width, marks.empty() ? 120 : height,
          score + " against the number of parameters",
          fmt::format("{} rows with a finished run. Bars: the 95 % interval over the dev set's sentences, or "
                      "else the standard deviation over the seeds.",
                      marks.size()),
          ground);
  svg.text({frame.left, 16}, title + ", by number of parameters", "panel");
  if (marks.empty()) {
    svg.text({width / 2, 70}, fmt::format("No run with {} has finished yet.", score), {}, Anchor::middle);
    return std::move(svg).finish();
  }
  double smallest = marks[0].millions, largest = smallest, low = marks[0].low, high = marks[0].high;
  for (const auto& mark : marks) {
    smallest = std::min(smallest, mark.millions);
    largest = std::max(largest, mark.millions);
    low = std::min({low, mark.low, mark.score});
    high = std::max({high, mark.high, mark.score});
  }
  // Sizes that hardly differ stand together: the axis would be of their last digits.
  const double widen = std::sqrt(std::max(1.0, kLeastRatio / (largest / smallest)));
  const auto x = make_scale(true, smallest / widen, largest * widen, frame.left, frame.right, 0.06);
  const auto y = make_scale(false, low, high, frame.bottom, frame.top, 0.05);
  svg.axes(x, y, "parameters, millions", score, 5, 6);
  for (auto& mark : marks) {
    mark.at = {x(mark.millions), y(mark.score)};
    if (mark.row == baseline) svg.line({x.from, mark.at.y}, {x.to, mark.at.y}, "level");
  }
  spread(marks);
  for (const auto& mark : marks) {
    if (mark.high > mark.low)
      svg.line({mark.at.x, y(mark.low)}, {mark.at.x, y(mark.high)}, "bar " + style_of(mark, baseline));
  }
  draw_labels(svg, marks, y, baseline);
  for (const auto& mark : marks)
    svg.marker(mark.at, mark.group, style_of(mark, baseline),
               fmt::format("{}: {} {}, {} million parameters", display_name(mark.row->name), score,
                           format_summary(score_of(*mark.row), 2), format_millions(mark.row->parameters)));
  draw_legend(svg, groups, marks, baseline);
  svg.text({frame.right, height - 8},
           "Bars: 95 % interval, or else deviation over seeds. Dashed: the baseline. Equal sizes stand side "
           "by side.",
           "small", Anchor::end);
  return std::move(svg).finish();
}

std::string score_by_parameters_svg(const Report& report) {
  return draw_score_by_parameters(report, Ground::white);
}

}  // namespace transformer::report
