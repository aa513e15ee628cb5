#include "transformer/base/signals.h"

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace transformer {

void answer_signals(std::function<void()> action) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // all later threads inherit this
  std::thread([signals, action = std::move(action)] {
    for (int signal = 0; sigwait(&signals, &signal) == 0;) action();
  }).detach();
}

}  // namespace transformer
