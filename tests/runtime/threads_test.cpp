#include "transformer/runtime/threads.h"

#include <ATen/Parallel.h>

#include <thread>

#include "tests/catch.h"

namespace transformer::runtime {
namespace {

TEST_CASE("as many threads compute as were asked for where the system grants what they need") {
  for (const int wanted : {1, 2, 16, 1000}) {
    const int needed = further_threads(wanted);
    CHECK(computing_threads(wanted, needed) == wanted);
    CHECK(computing_threads(wanted, needed - 1) == std::max(1, wanted - 1));
    for (int granted = 0; granted < needed; ++granted) {
      const int used = computing_threads(wanted, granted);
      CHECK(used >= 1);
      if (used > 1) CHECK(further_threads(used) <= granted);
    }
  }
}

TEST_CASE("threads that the system grants are counted, and gone") {
  CHECK(grantable_threads(0) == 0);
  for (int time = 0; time < 20; ++time) CHECK(grantable_threads(20) == 20);
}

TEST_CASE("LibTorch computes on the threads that are used") {
  const int before = at::get_num_threads();
  CHECK(use_threads(0) == before);
  CHECK(use_threads(2) == 2);
  CHECK(at::get_num_threads() == 2);
  const int most = static_cast<int>(std::thread::hardware_concurrency()) * kMostThreadsPerCore;
  CHECK(use_threads(most + 1) == most);
  CHECK(use_threads(before) == before);
}

}  // namespace
}  // namespace transformer::runtime
