// What the time of an update was spent on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace transformer::train {

/// Seconds of an update by what they were spent on. On a GPU operations are only queued in their own phase,
/// and what remains of them is waited for in the last one.
struct PhaseSeconds {
  double data = 0;  ///< making batches and copying them to the device
  double forward = 0;
  double loss = 0;  ///< with the output projection and, on the way, the gradients of both
  double backward = 0;
  double exchange = 0;   ///< waiting for other processes' gradients
  double optimizer = 0;  ///< with the gradient's norm
  double waiting = 0;    ///< for the loss, which is read when the step is under way

  PhaseSeconds& operator+=(const PhaseSeconds& other);
  double total() const { return data + forward + loss + backward + exchange + optimizer + waiting; }
  /// Name and seconds of each, in the order above.
  std::vector<std::pair<std::string, double>> parts() const;
};

}  // namespace transformer::train
