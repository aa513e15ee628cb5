#include "transformer/store/run_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::store {
namespace {

TEST_CASE("a run directory has one lock, which another process is told about") {
  const test::TemporaryFolder folder;
  const RunDirectory run{folder.path() / "deep" / "run"};
  {
    RunLock lock(run);
    const RunLock moved = std::move(lock);
    CHECK(std::filesystem::is_directory(run.checkpoints()));
    CHECK_THROWS_AS(RunLock(run), InputError);
    CHECK_THROWS_WITH(RunLock(run), ContainsSubstring(run.path.string()) &&
                                        ContainsSubstring("process " + std::to_string(::getpid())));
  }
  CHECK_NOTHROW(RunLock(run));
}

TEST_CASE("a killed process gives its lock back") {
  const test::TemporaryFolder folder;
  const RunDirectory run{folder.path() / "run"};
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const auto child = ::fork();
  if (child == 0) {
    const RunLock lock(run);
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK_THROWS_WITH(RunLock(run), ContainsSubstring("process " + std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_NOTHROW(RunLock(run));
}

TEST_CASE("a run directory that cannot be made is named") {
  const test::TemporaryFolder folder;
  const RunDirectory run{folder.write("file", "") / "run"};
  CHECK_THROWS_AS(RunLock(run), InputError);
  CHECK_THROWS_WITH(RunLock(run), ContainsSubstring(run.path.string()));
}

}  // namespace
}  // namespace transformer::store
