// SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal or the connection is gone), and what goes with them.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <optional>

namespace transformer {

struct Signal {
  int number = 0;
  std::optional<pid_t> sender = {};  ///< the process that sent it; none: the kernel, as for a Ctrl-C

  bool operator==(const Signal&) const = default;
};

/// Lets `action` answer each SIGINT, SIGTERM and SIGHUP from now on. It is called on a thread of its own,
/// where, other than in a signal handler, it may do anything. A SIGHUP that is ignored already, as under
/// nohup, stays ignored. To be called once, before other threads begin.
void answer_signals(std::function<void(const Signal&)> action);

/// While it lives, new threads start with signals from outside blocked, and keep them blocked: other threads
/// handle those signals. A thread's own faults (SIGBUS, SIGSEGV) still reach it.
class DeafThreads {
 public:
  DeafThreads();
  ~DeafThreads();
  DeafThreads(const DeafThreads&) = delete;
  DeafThreads& operator=(const DeafThreads&) = delete;

 private:
  sigset_t before_;
};

/// From now on a write whose reader has gone fails with EPIPE instead of ending the process. Files that this
/// program opens never become its standard input, output or error, even if one of these was closed at the
/// start.
void guard_standard_streams();

}  // namespace transformer
