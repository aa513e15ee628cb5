#include "transformer/report/labels.h"

#include <cmath>

#include "tests/catch.h"

using namespace transformer::report;

namespace {

const Box frame{0, 0, 400, 300};

Box around(const Point& point) {
  return {point.x - 5, point.y - 5, point.x + 5, point.y + 5};
}

}  // namespace

TEST_CASE("boxes overlap by their common area") {
  const Box box{0, 0, 10, 10};
  CHECK(box.overlap({5, 5, 20, 20}) == 25);
  CHECK(box.overlap({10, 0, 20, 10}) == 0);
  CHECK(box.overlap({20, 20, 30, 30}) == 0);
}

TEST_CASE("a lone label stands right beside its point") {
  const auto boxes = place_labels({{{200, 150}, 50}}, {around({200, 150})}, frame);
  REQUIRE(boxes.size() == 1);
  CHECK(boxes[0].right - boxes[0].left == 50);
  CHECK(std::abs(boxes[0].left - 200) < 15);
  CHECK(boxes[0].top < 150);
  CHECK(boxes[0].bottom > 150);
}

TEST_CASE("a label at the edge stays within the frame") {
  const auto boxes = place_labels({{{395, 150}, 50}, {{200, 2}, 50}}, {}, frame);
  for (const auto& box : boxes) CHECK(box.overlap(frame) == Approx(50 * (box.bottom - box.top)));
}

TEST_CASE("labels of points on one line do not cover each other, nor the points") {
  std::vector<Label> labels;
  std::vector<Box> points;
  for (int i = 0; i < 8; ++i) {
    labels.push_back({{200.0 + i, 140.0 + 3 * i}, 60});
    points.push_back(around(labels.back().point));
  }
  const auto boxes = place_labels(labels, points, frame);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) CHECK(boxes[i].overlap(boxes[k]) == 0);
    for (const auto& point : points) CHECK(boxes[i].overlap(point) == 0);
  }
}

TEST_CASE("labels find a place even where there is none") {
  const std::vector<Label> many(100, {{5, 5}, 1000});
  CHECK(place_labels(many, {}, {0, 0, 10, 10}).size() == 100);
  CHECK(place_labels({}, {}, frame).empty());
}
