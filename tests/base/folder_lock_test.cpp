#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/lock_file.h"
#include "transformer/base/process.h"

namespace transformer {
namespace {

TEST_CASE("a folder has one lock, which another process is told about") {
  const test::TemporaryFolder folder;
  const auto run = folder.path() / "deep" / "run";
  {
    FolderLock lock(run, "training");
    const FolderLock moved = std::move(lock);
    CHECK_THROWS_AS(FolderLock(run, "training"), InputError);
    CHECK_THROWS_WITH(FolderLock(run, "training"),
                      run.string() + ": another training is at work here (process " +
                          std::to_string(::getpid()) + "): expected one at a time");
  }
  CHECK_NOTHROW(FolderLock(run, "training"));
}

TEST_CASE("a killed process gives its lock back") {
  const test::TemporaryFolder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const auto child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder.path(), "training");
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  // Whatever the patience: who lives is not waited for.
  CHECK_THROWS_WITH(FolderLock(folder.path(), "runner", std::chrono::minutes(1)),
                    ContainsSubstring("process " + std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_NOTHROW(FolderLock(folder.path(), "training"));
}

TEST_CASE("a folder that cannot be made is named") {
  const test::TemporaryFolder folder;
  const auto run = folder.write("file", "") / "run";
  CHECK_THROWS_AS(FolderLock(run, "training"), InputError);
  CHECK_THROWS_WITH(FolderLock(run, "training"), ContainsSubstring(run.string()));
}

TEST_CASE("the programs of a user that was killed are waited for, if there is patience") {
  const test::TemporaryFolder folder;
  const auto ready = (folder.path() / "ready").string(), gone = (folder.path() / "gone").string();
  const pid_t runner = ::fork();
  if (runner == 0) {
    const FolderLock lock(folder.path(), "runner");
    const Process process(
        {"sh", "-c",
         "trap 'sleep 1; echo >" + gone + "; exit' HUP; echo >" + ready + "; while :; do sleep 0.01; done"},
        {.inherited = lock.descriptor()});
    for (;;) ::pause();
  }
  while (!std::filesystem::exists(ready)) ::usleep(5000);
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  CHECK_THROWS_AS(FolderLock(folder.path(), "runner"), InputError);
  const FolderLock lock(folder.path(), "runner", std::chrono::seconds(30));
  CHECK(std::filesystem::exists(gone));
}

}  // namespace
}  // namespace transformer
