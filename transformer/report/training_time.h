// The seconds of a training that was interrupted and went on: metrics.jsonl counts them from 0 in each
// sitting.
#pragma once

#include <cmath>
#include <limits>

namespace transformer::report {

class TrainingTime {
 public:
  /// The next line's "seconds" and its "time" (Unix seconds at which it was written), NaN where it has none.
  /// A sitting that began after the line before was written is a new one, whether it is longer than the last
  /// or not; without the times only a shorter one is seen.
  /// @returns the seconds so far, all sittings together
  double add(double seconds, double time) {
    if (std::isnan(seconds)) return sittings_before_ + last_seconds_;
    if (seconds < last_seconds_ || time - seconds > last_time_) sittings_before_ += last_seconds_;
    last_seconds_ = seconds;
    last_time_ = time;
    return sittings_before_ + last_seconds_;
  }

 private:
  double sittings_before_ = 0, last_seconds_ = 0;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();  // nothing is above it
};

}  // namespace transformer::report
