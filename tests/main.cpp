// Entry point of every test program.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "transformer/base/end_process.h"

int main(int argc, char** argv) {
  // Catch2 returns how many assertions failed: four of them must not look like 4, the status of a skipped
  // test.
  transformer::end_process(Catch::Session().run(argc, argv) == 0 ? 0 : 1);
}
