// Which signals ask a program to stop, and which to stop at once.
#pragma once

#include <chrono>

#include "transformer/base/signals.h"

namespace transformer {

/// The first signal asks to stop, and the second to stop at once. Two signals can be one request:
///  - A launcher hands on the signal that it got, and whoever sent that one may have sent it to all processes
///  of
///    the run: a scheduler, systemd, `kill` with several numbers. So the launcher's signals and those of all
///    others are counted apart, whatever comes first.
///  - Some programs send a signal twice within a moment, such as timeout: to a process, and to its group.
///  - A terminal that closes sends SIGHUP more than once, and systemd sends SIGTERM to what its session
///  leaves: a
///    SIGHUP asks to stop, too, and is not counted.
class StopRequests {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Answer { stop, stop_at_once, nothing };

  explicit StopRequests(pid_t launcher) : launcher_(launcher) {}

  Answer take(const Signal& signal, Time time);

 private:
  pid_t launcher_;
  bool asked_ = false;
  int of_launcher_ = 0, of_others_ = 0;
  Signal last_;
  Time last_time_;
};

}  // namespace transformer
