#include "transformer/report/labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace transformer::report {
namespace {

constexpr double label_height = 14;

double distance(const Box& box, const Point& point) {
  const double dx = std::max({0.0, box.left - point.x, point.x - box.right});
  const double dy = std::max({0.0, box.top - point.y, point.y - box.bottom});
  return std::hypot(dx, dy);
}

/// How bad a place is: what it covers, what of it leaves the frame, and how far it is from its point,
/// also compared with other points.
double cost(const Box& box, const Label& label, const std::vector<Label>& all, const std::vector<Box>& placed,
            const std::vector<Box>& obstacles, const Box& frame) {
  double covered = 0;
  for (const auto& other : placed) covered += 2 * box.overlap(other);  // two texts on each other are worst
  for (const auto& other : obstacles) covered += box.overlap(other);
  const double area = (box.right - box.left) * (box.bottom - box.top);
  const double outside = area - box.overlap(frame);
  const double own = distance(box, label.point);
  // A name that is nearer to another point would be taken for that one's.
  double doubts = 0;
  for (const auto& other : all) {
    if (&other != &label) doubts += std::max(0.0, own - distance(box, other.point));
  }
  return 3 * covered + 10 * outside + own + doubts;
}

}  // namespace

double Box::overlap(const Box& other) const {
  const double width = std::min(right, other.right) - std::max(left, other.left);
  const double size = std::min(bottom, other.bottom) - std::max(top, other.top);
  return width > 0 && size > 0 ? width * size : 0;
}

std::vector<Box> place_labels(const std::vector<Label>& labels, const std::vector<Box>& obstacles,
                              const Box& frame) {
  constexpr std::array<double, 8> distances = {9, 20, 35, 50, 65, 80, 100, 120};
  constexpr int rows = 9;
  constexpr double row_height = 7;
  std::vector<Box> placed;
  for (const auto& label : labels) {
    Box best;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](double left, double middle, double unease) {
      const Box box{left, middle - label_height / 2, left + label.width, middle + label_height / 2};
      const double price = cost(box, label, labels, placed, obstacles, frame) + unease;
      if (price >= least) return;
      least = price;
      best = box;
    };
    for (int row = -rows; row <= rows; ++row) {
      const double middle = label.point.y + row * row_height;
      for (const double distance : distances) {
        consider(label.point.x + distance, middle, std::abs(row) / 2.0);
        consider(label.point.x - distance - label.width, middle, std::abs(row) / 2.0 + 1);
      }
      if (std::abs(row) >= 2) consider(label.point.x - label.width / 2, middle, 4);  // above or below
    }
    placed.push_back(best);
  }
  return placed;
}

}  // namespace transformer::report
