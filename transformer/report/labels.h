// Names beside the points of a picture, placed so that they can be read.
#pragma once

#include <vector>

#include "transformer/report/svg.h"

namespace transformer::report {

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;  ///< pixels; downwards is up in number

  /// Pixels² that the two share.
  double overlap(const Box& other) const;
};

struct Label {
  Point point;       ///< what it names
  double width = 0;  ///< pixels
};

/// A box for each label, in their order: near its point, within the frame, and off the obstacles and the
/// other labels as far as there is room.
std::vector<Box> place_labels(const std::vector<Label>& labels, const std::vector<Box>& obstacles,
                              const Box& frame);

}  // namespace transformer::report
