// The seconds of a training that was interrupted and went on: metrics.jsonl counts them from 0 in each
// sitting.
#pragma once

#include <cmath>
#include <limits>

namespace transformer::report {

class TrainingTime {
 public:
  /// Whether the next line is the first of another sitting: this began after the line before was written,
  /// whether it is longer than the last or not; without the times only a shorter one is seen. `seconds` and
  /// `time` (Unix seconds at which it was written) are the line's, NaN where it has none.
  bool begins_sitting(double seconds, double time) const {
    return seconds < last_seconds_ || time - seconds > last_time_;
  }

  /// Adds the next line. @returns the seconds so far, all sittings together
  double add(double seconds, double time) {
    if (std::isnan(seconds)) return sittings_before_ + last_seconds_;
    if (begins_sitting(seconds, time)) sittings_before_ += last_seconds_;
    last_seconds_ = seconds;
    last_time_ = time;
    return sittings_before_ + last_seconds_;
  }

 private:
  double sittings_before_ = 0, last_seconds_ = 0;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();  // nothing is above it
};

}  // namespace transformer::report
