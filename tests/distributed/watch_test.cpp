#include "transformer/distributed/watch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>

#include "tests/distributed/members.h"
#include "transformer/base/log.h"
#include "transformer/base/stopwatch.h"

namespace transformer::distributed {
namespace {

using std::chrono::milliseconds;

TEST_CASE("a fault is in the store as its status and its cause") {
  const auto same = [](const Fault& fault) {
    const auto read = fault_from_text(to_text(fault));
    return read.cause == fault.cause && read.status == fault.status;
  };
  CHECK(same({"rank 1: a full disk", 1}));
  CHECK(same({"rank 0: 2 files are missing", 2}));
  CHECK(same({"", 1}));
  CHECK(to_text({"rank 1: x", 2}) == "2 rank 1: x");
  CHECK(fault_from_text("nonsense").cause == "nonsense");
  CHECK(fault_from_text("nonsense").status == 1);
}

/// Another process, a member of the test's group.
class Child {
 public:
  /// What it does with the port of the store.
  explicit Child(const std::function<void(std::uint16_t)>& body) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[1]);
      std::uint16_t port = 0;
      if (::read(ends[0], &port, sizeof port) == sizeof port) body(port);
      ::_exit(99);
    }
    ::close(ends[0]);
    pipe_ = ends[1];
  }
  ~Child() {
    ::close(pipe_);
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void tell(std::uint16_t port) const { REQUIRE(::write(pipe_, &port, sizeof port) == sizeof port); }
  void send(int signal) const { ::kill(id_, signal); }
  pid_t id() const { return id_; }

  /// Its exit status; -1 where it did not end by itself.
  int wait() {
    int raw = 0;
    ::waitpid(id_, &raw, 0);
    id_ = -1;
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  }

 private:
  pid_t id_ = -1;
  int pipe_ = -1;
};

Placement second_of_two(std::uint16_t port) {
  return {.rank = 1,
          .local_rank = 1,
          .size = 2,
          .address = "127.0.0.1",
          .port = port,
          .store_is_hosted = true,
          .run = "test"};
}

TEST_CASE("a process that hangs is ended some seconds after a fault of another, with its status") {
  start_logging("off");
  Child child([](std::uint16_t port) {  // before the test has threads
    const Group group(second_of_two(port), test::watchful());
    while (true) ::pause();
  });
  const test::MeetingPlace place;
  child.tell(place.store.address().port);
  Group group(place.placement(0, 2), test::watchful());
  group.end_run({"rank 0: a bad file", 2});
  const Stopwatch watch;
  CHECK(child.wait() == 2);
  CHECK(watch.seconds() > 3);  // it may be about to end by itself
  CHECK(watch.seconds() < 15);
}

TEST_CASE("a process that is stopped is missed, and ends itself when it goes on") {
  start_logging("off");
  Child child([](std::uint16_t port) {
    Group group(second_of_two(port), test::watchful());
    group.meet();
    while (true) ::pause();
  });
  const test::MeetingPlace place;
  child.tell(place.store.address().port);
  Group group(place.placement(0, 2), test::watchful());
  group.meet();
  child.send(SIGSTOP);
  try {
    group.meet();
    FAIL("met a process that is stopped");
  } catch (const RunEnded& error) {
    CHECK_THAT(error.fault.cause,
               ContainsSubstring("rank 1 (process " + std::to_string(child.id()) + " on "));
    CHECK_THAT(error.fault.cause,
               ContainsSubstring("): has not been heard of for 2 s: it died, hangs, or cannot be reached"));
  }
  child.send(SIGCONT);
  CHECK(child.wait() == 1);
}

TEST_CASE("a pause that is shorter than the silence ends nothing") {
  start_logging("off");
  Child child([](std::uint16_t port) {
    Group group(second_of_two(port), test::watchful());
    group.meet();
    group.leave();
    ::_exit(0);
  });
  const test::MeetingPlace place;
  child.tell(place.store.address().port);
  Group group(place.placement(0, 2), test::watchful());
  child.send(SIGSTOP);
  std::this_thread::sleep_for(milliseconds(1000));
  child.send(SIGCONT);
  group.meet();
  group.leave();
  CHECK(child.wait() == 0);
}

}  // namespace
}  // namespace transformer::distributed
