#include "transformer/distributed/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/exit_status.h"
#include "transformer/base/stopwatch.h"
#include "transformer/base/text_file.h"
#include "transformer/distributed/fault.h"
#include "transformer/distributed/placement.h"
#include "transformer/distributed/store.h"

namespace transformer::distributed {
namespace {

using std::chrono::milliseconds;
using test::TemporaryFolder;

/// A script of each rank.
LaunchSettings shell(const std::string& script, std::int64_t processes,
                     const std::atomic<bool>* interrupted = nullptr) {
  return {{"/bin/sh", "-c", script}, processes, interrupted};
}

/// A variable of the environment, put back afterwards.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) {
    if (value)
      ::setenv(name_, value, 1);
    else
      ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

/// The environments of so many processes that were launched.
std::vector<std::map<std::string, std::string>> environments(std::int64_t processes) {
  const TemporaryFolder folder;
  CHECK(launch(shell("env > " + (folder.path() / "rank").string() + "$RANK", processes)) == kDone);
  std::vector<std::map<std::string, std::string>> all;
  for (std::int64_t rank = 0; rank < processes; ++rank) {
    auto& own = all.emplace_back();
    for (const auto& line : read_lines(folder.path() / ("rank" + std::to_string(rank))))
      own[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  }
  return all;
}

TEST_CASE("each process has the variables of torchrun, and finds its place by them") {
  const auto all = environments(3);
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    const auto& own = all[static_cast<std::size_t>(rank)];
    const auto place = find_placement([&](const std::string& name) -> std::optional<std::string> {
      return own.count(name) != 0 ? std::optional(own.at(name)) : std::nullopt;
    });
    REQUIRE(place);
    const Placement expected{.rank = rank,
                             .local_rank = rank,
                             .size = 3,
                             .address = "127.0.0.1",
                             .port = static_cast<std::uint16_t>(std::stoi(all[0].at("MASTER_PORT"))),
                             .store_is_hosted = true,
                             .run = std::to_string(::getpid()) + "/0"};
    CHECK(*place == expected);
  }
}

TEST_CASE("the processes share the cores, unless they are told otherwise") {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  {
    const Variable none("OMP_NUM_THREADS", nullptr);
    for (const auto& own : environments(2))
      CHECK(own.at("OMP_NUM_THREADS") == std::to_string(std::max(1, cores / 2)));
    CHECK(environments(1)[0].at("OMP_NUM_THREADS") == std::to_string(std::max(1, cores)));
  }
  const Variable told("OMP_NUM_THREADS", "7");
  CHECK(environments(2)[1].at("OMP_NUM_THREADS") == "7");
}

TEST_CASE("standard input and output are rank 0's, and all have standard error") {
  const TemporaryFolder folder;
  const auto file = (folder.path() / "rank").string();
  const std::string script =
      "out=$(readlink /proc/$$/fd/1); for i in 0 2; do readlink /proc/$$/fd/$i; done > ";
  CHECK(launch(shell(script + file + "$RANK; echo $out >> " + file + "$RANK", 2)) == kDone);
  const auto own = [](int stream) {
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(stream)).string();
  };
  CHECK(read_lines(file + "0") == std::vector{own(0), own(2), own(1)});
  CHECK(read_lines(file + "1") == std::vector<std::string>{"/dev/null", own(2), "/dev/null"});
}

/// The error that a launch ends with, where `$RANK` of the script and `$$` is written to a file.
template <typename Error>
void check_failure(const std::string& script, std::int64_t failing, const std::string& end) {
  const TemporaryFolder folder;
  const auto file = (folder.path() / "process").string();
  std::string found = "none";
  try {
    launch(shell("echo $$ > " + file + "$RANK; " + script, 2));
  } catch (const Error& error) {
    found = error.what();
  }
  auto process = test::content_of(file + std::to_string(failing));
  if (!process.empty()) process.pop_back();  // the end of the line
  CHECK(found == fmt::format("rank {} (process {}): {}", failing, process, end));
}

TEST_CASE("the first process that fails without a word is named, with how it ended") {
  check_failure<RunError>("[ $RANK = 0 ] || exit 1", 1, "ended with exit status 1");
  check_failure<RunError>("[ $RANK = 0 ] || exit 3", 1, "ended with exit status 3");
  check_failure<InputError>("[ $RANK = 1 ] || exit 2", 0, "ended with exit status 2");
  check_failure<RunError>("[ $RANK = 0 ] || kill -KILL $$", 1, "was killed by signal 9");
  check_failure<RunError>("[ $RANK = 1 ] || kill -SEGV $$", 0, "was killed by signal 11");
  // Who ends because of another one comes later.
  check_failure<RunError>("[ $RANK = 1 ] && exit 3; sleep 0.5; exit 1", 1, "ended with exit status 3");
}

TEST_CASE("a process that is asked to stop before it knows how is no fault") {
  std::atomic<bool> interrupted = false;
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(300));
    interrupted = true;
  });
  CHECK(launch(shell("exec sleep 60", 2, &interrupted)) == kInterrupted);
  later.join();
  CHECK_THROWS_WITH(launch(shell("kill -TERM $$", 1)), ContainsSubstring("was killed by signal 15"));
}

TEST_CASE("a program that cannot be begun fails in all processes") {
  CHECK_THROWS_WITH(launch({{"/nowhere/program"}, 2, nullptr}),
                    ContainsSubstring("ended with exit status 127"));
}

/// Acts for a process of the launch that wrote its variables to that file: it fails.
void tell_fault(const std::filesystem::path& file, const std::string& fault, bool aloud) {
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(milliseconds(5));
  const auto lines = read_lines(file);  // port, run
  auto store =
      Store::connect({"127.0.0.1", static_cast<std::uint16_t>(std::stoi(lines.at(0)))}, milliseconds(5000));
  store.enter("transformer/" + lines.at(1) + "/0");
  store.set_once(kFaultName, fault);
  if (aloud) store.add(kSpokenName, 1);
  std::ofstream(file.string() + ".told");
}

/// Processes that end when the fault was told: rank 0 with 1, the other with 2. → what launch() does
int launch_with_fault(const std::string& fault, bool aloud) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "variables";
  std::thread member([&] { tell_fault(file, fault, aloud); });
  const auto join = [&] { member.join(); };
  const auto script = fmt::format(
      "if [ $RANK = 0 ]; then printf '%s\\n%s\\n' $MASTER_PORT $TORCHELASTIC_RUN_ID > {0}.new; mv {0}.new "
      "{0}; "
      "fi; while ! [ -e {0}.told ]; do sleep 0.02; done; exit $((RANK + 1))",
      file.string());
  try {
    const int status = launch(shell(script, 2));
    join();
    return status;
  } catch (...) {
    join();
    throw;
  }
}

TEST_CASE("what a process has said of a fault is not said again, and its status is that of all") {
  CHECK(launch_with_fault("2 rank 1: a bad file", true) == kBadInput);
  CHECK(launch_with_fault("1 rank 1: a full disk", true) == kFailed);
}

TEST_CASE("a fault that a process told of but has not said is said here") {
  CHECK_THROWS_AS(launch_with_fault("2 rank 1: a bad file", false), InputError);
  CHECK_THROWS_WITH(launch_with_fault("1 rank 1: a full disk", false), "rank 1: a full disk");
}

TEST_CASE("an interruption is handed on to all, who may end in order") {
  const TemporaryFolder folder;
  std::atomic<bool> interrupted = false;
  std::thread user([&] {
    for (const auto* name : {"0", "1"})
      while (!std::filesystem::exists(folder.path() / name)) std::this_thread::sleep_for(milliseconds(5));
    interrupted = true;
  });
  const int status = launch(
      shell("trap 'exit 130' TERM; echo > " + folder.path().string() + "/$RANK; while :; do sleep 0.02; done",
            2, &interrupted));
  user.join();
  CHECK(status == kInterrupted);
  CHECK(launch(shell("[ $RANK = 0 ] || exit 130", 2)) == kInterrupted);
}

TEST_CASE("who does not end after a fault is killed") {
  const Stopwatch watch;
  CHECK_THROWS_WITH(launch(shell("[ $RANK = 0 ] && exit 1; trap '' TERM; while :; do sleep 0.2; done", 2)),
                    ContainsSubstring("ended with exit status 1"));
  CHECK(watch.seconds() > 10);  // time to end by itself
  CHECK(watch.seconds() < 30);
}

}  // namespace
}  // namespace transformer::distributed
