// Dynamic loss scaling for training in fp16 (Micikevicius et al. 2018, "Mixed Precision Training").
#pragma once

#include <cstdint>

namespace transformer::train {

/// What the loss is multiplied by before its gradient is formed, so that the small gradients of activations,
/// which are fp16, do not vanish: its smallest number is 6e-8. Those of weights, which are fp32, are divided
/// by it again. It is a power of two, so nothing is rounded by either.
///
/// How large it can be shows as the training goes on: too large, and some gradient exceeds 65504, fp16's
/// largest number. Such an update makes no step and halves the scale; many good ones in a row double it.
/// These are the rule and the numbers of PyTorch's GradScaler, but that the scale ends at 1, under which an
/// infinite gradient is the update's own.
struct LossScale {
  static constexpr double kLeast = 1;
  static constexpr double kMost = 0x1p126;             ///< in fp32, too, it is to be a number
  static constexpr std::int64_t kUntilDoubled = 2000;  ///< good updates in a row

  double value = 65536;
  std::int64_t good_updates = 0;  ///< in a row, since the scale was changed
  std::int64_t overflows = 0;     ///< updates that were lost to the scale, in all

  /// After an update that made its step.
  void grow();

  /// After one whose gradient is NaN or infinite. Whether the scale was halved: at its least it is not, and
  /// not to blame.
  bool shrink();

  /// After one that the scale has nothing to do with, as its loss is NaN or infinite.
  void pause() { good_updates = 0; }

  bool operator==(const LossScale&) const = default;
};

}  // namespace transformer::train
