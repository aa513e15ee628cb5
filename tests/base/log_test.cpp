#include "transformer/base/log.h"

#include <spdlog/spdlog.h>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::content_of;
using transformer::test::TemporaryFolder;

TEST_CASE("the log file keeps what quiet hides, and a second run appends") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "log.txt";
  start_logging("info", true);
  add_log_file(path);
  spdlog::info("first {}", 1);
  spdlog::debug("unseen");
  log_to_file("only here");
  add_log_file(path);
  spdlog::info("second");
  const auto text = content_of(path);
  CHECK_THAT(text, ContainsSubstring("info: first 1\n"));
  CHECK_THAT(text, ContainsSubstring("info: only here\n"));
  CHECK_THAT(text, ContainsSubstring("info: second\n"));
  CHECK(text.find("unseen") == std::string::npos);
}

TEST_CASE("what messages quote is made printable, and several lines stay several") {
  const TemporaryFolder folder;
  start_logging("info", true);
  add_log_file(folder.path() / "log.txt");
  spdlog::info("{}:\n  next", std::string("a\0b\x1b[2J", 7));
  CHECK_THAT(content_of(folder.path() / "log.txt"), ContainsSubstring("info: a\\x00b\\x1b[2J:\n  next\n"));
}

TEST_CASE("the level reaches the log file, too") {
  const TemporaryFolder folder;
  start_logging("debug", true);
  add_log_file(folder.path() / "log.txt");
  spdlog::debug("seen");
  CHECK_THAT(content_of(folder.path() / "log.txt"), ContainsSubstring("debug: seen\n"));
}

TEST_CASE("an unknown level and an impossible log file are refused") {
  REQUIRE_THROWS_AS(start_logging("loud"), InputError);
  REQUIRE_THROWS_WITH(start_logging("loud"), ContainsSubstring("found \"loud\""));
  const TemporaryFolder folder;
  const auto blocked = folder.write("file", "") / "log.txt";
  REQUIRE_THROWS_AS(add_log_file(blocked), RunError);
}
