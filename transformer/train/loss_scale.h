// Dynamic loss scaling for training in fp16 (Micikevicius et al. 2018, "Mixed Precision Training").
#pragma once

#include <cstdint>

namespace transformer::train {

/// The factor of the loss in fp16. Without it small gradients of activations, which are fp16, would become
/// zero: fp16's smallest number is 6e-8. The gradients of weights are fp32 and are divided by the factor
/// again. It is a power of two, so neither step rounds.
///
/// The right size shows during training. If the factor is too large, some gradient exceeds 65504, fp16's
/// largest number. Such an update makes no step and halves the factor; many good updates in a row double it.
/// The rule and the numbers are those of PyTorch's GradScaler. One thing differs: the factor never falls
/// below 1, because then an infinite gradient is the update's own fault.
struct LossScale {
  static constexpr double kLeast = 1;
  static constexpr double kMost = 0x1p126;             ///< so that it stays finite in fp32, too
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
