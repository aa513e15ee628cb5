#include "transformer/base/file_limit.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.h"
#include "transformer/base/error.h"

using namespace transformer;

namespace {

/// The soft limit after expect_open_files(needed) in a process that starts with these limits; 0 if it throws.
int limit_after(rlim_t soft, rlim_t hard, std::uint64_t needed) {
  const auto child = ::fork();
  if (child == 0) {
    const rlimit limit{soft, hard};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    try {
      expect_open_files(needed, "this");
    } catch (const RunError&) {
      ::_exit(0);
    }
    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    ::_exit(static_cast<int>(now.rlim_cur));
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a limit is raised where that is needed and allowed, else refused") {
  CHECK(limit_after(30, 60, 20) == 30);
  CHECK(limit_after(30, 60, 50) == 50);
  CHECK(limit_after(30, 60, 61) == 0);
  CHECK_THROWS_WITH(expect_open_files(std::uint64_t{1} << 60U, "8 processes"),
                    ContainsSubstring("8 processes: expected a limit of 1152921504606846976 open files"));
}
