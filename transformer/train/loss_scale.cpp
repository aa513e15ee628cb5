#include "transformer/train/loss_scale.h"

#include <algorithm>

namespace transformer::train {

void LossScale::grow() {
  if (++good_updates < kUntilDoubled) return;
  good_updates = 0;
  value = std::min(2 * value, kMost);
}

bool LossScale::shrink() {
  good_updates = 0;
  if (value <= kLeast) return false;
  value = std::max(value / 2, kLeast);
  ++overflows;
  return true;
}

}  // namespace transformer::train
