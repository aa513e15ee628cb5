#include "transformer/experiments/output_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/process.h"

using namespace transformer;
using transformer::experiments::OutputLock;
using transformer::test::TemporaryFolder;

TEST_CASE("one runner holds a folder at a time") {
  const TemporaryFolder folder;
  std::optional<OutputLock> lock(folder.path() / "out");
  try {
    const OutputLock second(folder.path() / "out");
    FAIL("a second lock");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(),
               ContainsSubstring("another runner works here (process " + std::to_string(::getpid()) + ")"));
  }
  lock.reset();
  const OutputLock third(folder.path() / "out");
}

TEST_CASE("the programs of a runner that was killed are waited for") {
  const TemporaryFolder folder;
  const auto ready = (folder.path() / "ready").string(), gone = (folder.path() / "gone").string();
  const pid_t runner = ::fork();
  if (runner == 0) {
    const OutputLock lock(folder.path());
    const Process process(
        {"sh", "-c",
         "trap 'sleep 1; echo >" + gone + "; exit' TERM; echo >" + ready + "; while :; do sleep 0.01; done"},
        {.inherited = lock.descriptor()});
    for (;;) ::pause();
  }
  while (!std::filesystem::exists(ready)) ::usleep(5000);
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  const OutputLock lock(folder.path());
  CHECK(std::filesystem::exists(gone));
}
