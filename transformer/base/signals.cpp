#include "transformer/base/signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <utility>

namespace transformer {
namespace {

bool is_ignored(int signal) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

void answer_signals(std::function<void(const Signal&)> action) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // Blocking it would bring it back to life: a blocked signal waits, even if it is ignored.
  if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // all later threads inherit this
  std::thread([signals, action = std::move(action)] {
    while (true) {
      siginfo_t info{};
      const int number = ::sigwaitinfo(&signals, &info);
      if (number < 0) continue;  // EINTR: a debugger looked at us
      const bool sent = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
      action({number, sent ? std::optional(info.si_pid) : std::nullopt});
    }
  }).detach();
}

DeafThreads::DeafThreads() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&signals, own);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

DeafThreads::~DeafThreads() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void guard_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit (ulimit -f) is an error of writing then
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // Open the wrong way round: using it is still an error. It becomes the lowest free number, this one.
    ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace transformer
