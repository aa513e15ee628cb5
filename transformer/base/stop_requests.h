// Which signals ask a program to stop, and which to stop at once.
#pragma once

#include <chrono>

#include "transformer/base/signals.h"

namespace transformer {

/// The first signal asks to stop, and the second to stop at once. Two signals can be one request:
/// * A launcher passes its signal on. Its sender (a scheduler, systemd, `kill` with several numbers) may have
///   sent it to all processes of the run. So signals from the launcher and from others are counted apart, in
///   whichever order they come.
/// * Some programs, such as timeout, send a signal twice at nearly the same time: to a process and to its
///   group.
/// * A closing terminal sends SIGHUP more than once, and systemd sends SIGTERM to the remains of its session.
///   So a SIGHUP asks to stop but is not counted.
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
