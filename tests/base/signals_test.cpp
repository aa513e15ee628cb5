#include "transformer/base/signals.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
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
    static std::atomic<int> last = 0;
    answer_signals([=](const Signal& signal) {
      if (std::this_thread::get_id() == main_thread) ::_exit(1);
      if (signal.sender != ::getpid()) ::_exit(3);
      last = signal.number;
      ++answered;
    });
    const std::array signals = {SIGINT, SIGTERM, SIGHUP, SIGINT};
    for (int expected = 1; expected <= std::ssize(signals); ++expected) {
      const int signal = signals.at(static_cast<std::size_t>(expected) - 1);
      ::kill(::getpid(), signal);
      for (int wait = 0; wait < 5000 && answered < expected; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (answered != expected || last != signal) ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

namespace {

/// What `body` gives, run in a process of its own.
template <typename Body>
int in_child(const Body& body) {
  const auto child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a SIGHUP that is ignored, as under nohup, stays ignored") {
  CHECK(in_child([] {
          static std::atomic<int> answered = 0;
          std::signal(SIGHUP, SIG_IGN);
          answer_signals([](const Signal&) { ++answered; });
          ::kill(::getpid(), SIGHUP);
          ::kill(::getpid(), SIGTERM);
          for (int wait = 0; wait < 5000 && answered == 0; ++wait)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return answered == 1 ? 0 : 1;
        }) == 0);
}

TEST_CASE("writing where nobody reads is an error that ends nothing") {
  CHECK(in_child([] {
          guard_standard_streams();
          std::array<int, 2> ends{};
          if (::pipe(ends.data()) != 0) return 1;
          ::close(ends[0]);
          return ::write(ends[1], "x", 1) < 0 && errno == EPIPE ? 0 : 2;
        }) == 0);
}

TEST_CASE("a file never takes the place of a standard stream that is closed") {
  CHECK(in_child([] {
          for (const int stream : {0, 1, 2}) ::close(stream);
          guard_standard_streams();
          if (::write(2, "x", 1) >= 0 || ::write(1, "x", 1) >= 0) return 1;
          return ::open("/dev/null", O_RDWR) > 2 ? 0 : 2;
        }) == 0);
}
