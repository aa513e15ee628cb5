// Time that passes, whatever happens to the clock on the wall.
#pragma once

#include <chrono>

namespace transformer {

class Stopwatch {
 public:
  /// Seconds since it was made or restarted.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// The same, and starts again from zero.
  double restart() {
    const auto now = Clock::now();
    const auto passed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return passed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Adds the seconds that it lives to a sum.
class TimeSpan {
 public:
  explicit TimeSpan(double& sum) : sum_(sum) {}
  ~TimeSpan() { sum_ += watch_.seconds(); }
  TimeSpan(const TimeSpan&) = delete;
  TimeSpan& operator=(const TimeSpan&) = delete;

 private:
  double& sum_;
  Stopwatch watch_;
};

}  // namespace transformer
