#include "transformer/base/signals.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/catch.h"

using namespace transformer;

TEST_CASE("signals are answered on a thread, each of them, and end nothing by themselves") {
  const auto child = ::fork();  // the rest of the tests keep their signals
  if (child == 0) {
    static std::atomic<int> answered = 0;
    const auto main_thread = std::this_thread::get_id();
    answer_signals([=] {
      if (std::this_thread::get_id() == main_thread) ::_exit(1);
      ++answered;
    });
    for (int expected = 1; expected <= 3; ++expected) {
      ::kill(::getpid(), expected == 2 ? SIGTERM : SIGINT);
      for (int wait = 0; wait < 5000 && answered < expected; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (answered != expected) ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
