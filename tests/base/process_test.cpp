#include "transformer/base/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/stopwatch.h"

using namespace transformer;
using transformer::test::TemporaryFolder;

namespace {

std::vector<std::string> shell(const std::string& script) {
  return {"sh", "-c", script};
}

}  // namespace

TEST_CASE("a program's end is known") {
  CHECK(Process(shell("true")).wait().good());
  const auto bad = Process(shell("exit 3")).wait();
  CHECK(bad.status == 3);
  CHECK(bad.describe() == "exit status 3");
  const auto killed = Process(shell("kill -9 $$")).wait();
  CHECK_FALSE(killed.good());
  CHECK(killed.describe() == "killed by signal 9");
  CHECK(Process({"/nowhere/program"}).wait().status == 127);
}

TEST_CASE("a program reads, writes and complains where it is told to") {
  const TemporaryFolder folder;
  const auto input = folder.write("in", "text\n"), errors = folder.write("errors", "before\n");
  const auto output = folder.path() / "out";
  Process process(shell("cat; echo $NAME; echo wrong >&2"),
                  {.input = input, .output = output, .errors = errors, .environment = {{"NAME", "value"}}});
  CHECK(process.wait().good());
  CHECK(test::content_of(output) == "text\nvalue\n");
  CHECK(test::content_of(errors) == "before\nwrong\n");
  CHECK_THROWS_AS(Process(shell("true"), {.input = folder.path() / "nothing"}), InputError);
}

TEST_CASE("a program has this one's variables, but for those that it is not to have") {
  const TemporaryFolder folder;
  const auto output = folder.path() / "out";
  ::setenv("TRANSFORMER_TEST_A", "1", 1);
  ::setenv("TRANSFORMER_TEST_AB", "2", 1);
  ::setenv("TRANSFORMER_TEST_C", "3", 1);
  CHECK(Process(shell("env | grep ^TRANSFORMER_TEST | sort"),
                {.output = output,
                 .environment = {{"TRANSFORMER_TEST_C", "4"}},
                 .without = {"TRANSFORMER_TEST_A", "TRANSFORMER_TEST_NONE"}})
            .wait()
            .good());
  CHECK(test::content_of(output) == "TRANSFORMER_TEST_AB=2\nTRANSFORMER_TEST_C=4\n");
  for (const auto* name : {"TRANSFORMER_TEST_A", "TRANSFORMER_TEST_AB", "TRANSFORMER_TEST_C"})
    ::unsetenv(name);
}

TEST_CASE("a program is asked to stop, also where signals are blocked, and when its object goes") {
  sigset_t terminate, before;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &terminate, &before);  // as answer_signals() does
  Process process({"sleep", "100"});
  CHECK_FALSE(process.poll());
  process.terminate();
  CHECK(process.wait().signal == SIGTERM);
  const TemporaryFolder folder;
  {
    const Process other(shell("trap 'echo stopped >" + (folder.path() / "mark").string() +
                              "; exit' TERM; echo >" + (folder.path() / "ready").string() +
                              "; while :; do sleep 0.01; done"));
    while (!std::filesystem::exists(folder.path() / "ready"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(test::content_of(folder.path() / "mark") == "stopped\n");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("all programs that run end at once, asked twice, and by force if need be") {
  CHECK(Process({"true"}).wait().good());  // and is not asked
  const TemporaryFolder folder;
  const auto mark = (folder.path() / "mark").string();
  Process asked(shell("trap 'echo term >>" + mark + "' TERM; trap 'echo int >>" + mark +
                      "; exit 3' INT; echo >" + mark + ".asked; while :; do sleep 0.01; done"));
  Process deaf(shell("trap '' TERM INT; echo >" + mark + ".deaf; while :; do sleep 0.01; done"));
  for (const auto* name : {".asked", ".deaf"})
    while (!std::filesystem::exists(mark + name)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const Stopwatch watch;
  Process::end_all().unlock();
  CHECK(watch.seconds() < 5);
  CHECK(asked.wait().status == 3);
  CHECK(deaf.wait().signal == SIGKILL);
  const auto signals = test::content_of(mark);
  CHECK((signals == "term\nint\n" || signals == "int\n"));
}

TEST_CASE("a program dies with the one that began it") {
  const TemporaryFolder folder;
  const auto mark = (folder.path() / "mark").string();
  const pid_t parent = ::fork();
  if (parent == 0) {
    const Process process(
        shell("trap 'echo >" + mark + "; exit' HUP; echo >" + mark + ".ready; while :; do sleep 0.01; done"));
    for (;;) ::pause();
  }
  while (!std::filesystem::exists(mark + ".ready")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(parent, SIGKILL);
  for (int i = 0; i < 1000 && !std::filesystem::exists(mark); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(std::filesystem::exists(mark));
}

TEST_CASE("only the descriptor that a program is to have stays open") {
  const int given = ::open("/dev/null", O_RDONLY | O_CLOEXEC),
            kept = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto open_in = [](int descriptor) {
    return "[ -e /proc/self/fd/" + std::to_string(descriptor) + " ]";
  };
  CHECK(Process(shell(open_in(given)), {.inherited = given}).wait().good());
  CHECK_FALSE(Process(shell(open_in(kept)), {.inherited = given}).wait().good());
  ::close(given);
  ::close(kept);
}
