#include "transformer/base/background.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <thread>

#include "tests/catch.h"

using namespace transformer;

namespace {

bool blocks(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

}  // namespace

TEST_CASE("work in the background gives its result, and throws its errors, to whoever asks") {
  const auto here = std::this_thread::get_id();
  auto elsewhere = in_background([&] { return std::this_thread::get_id() != here; });
  CHECK(elsewhere.get());
  auto fails = in_background([]() -> int { throw std::runtime_error("no luck"); });
  CHECK_THROWS_WITH(fails.get(), "no luck");
  auto moved = in_background([number = std::make_unique<int>(7)] { return *number; });
  CHECK(moved.get() == 7);
}

TEST_CASE("what nobody asks for is waited for") {
  std::atomic<bool> done = false;
  {
    const auto future = in_background([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      done = true;
    });
  }
  CHECK(done);
}

TEST_CASE("signals pass background threads by, but for those of their own mistakes") {
  CHECK(in_background([] {
          return blocks(SIGINT) && blocks(SIGTERM) && blocks(SIGHUP) && blocks(SIGUSR1) && !blocks(SIGBUS) &&
                 !blocks(SIGSEGV);
        }).get());
  CHECK_FALSE(blocks(SIGINT));
  CHECK_FALSE(blocks(SIGUSR1));
}
