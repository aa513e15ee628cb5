// The seconds of a training that was interrupted and went on: metrics.jsonl counts them from 0 in each
// sitting.
#pragma once

#include <optional>

namespace transformer::report {

class TrainingTime {
 public:
  /// The next line's "seconds" and, where it has one, its "time" (Unix seconds at which it was written). A
  /// sitting that began after the line before was written is a new one, whether it is longer than the last or
  /// not; without the times only a shorter one is seen.
  /// @returns the seconds so far, all sittings together
  double add(double seconds, std::optional<double> time) {
    const bool began_after_last = time && last_time_ && *time - seconds > *last_time_;
    if (seconds < last_seconds_ || began_after_last) sittings_before_ += last_seconds_;
    last_seconds_ = seconds;
    last_time_ = time;
    return sittings_before_ + last_seconds_;
  }

 private:
  double sittings_before_ = 0, last_seconds_ = 0;
  std::optional<double> last_time_;
};

}  // namespace transformer::report
