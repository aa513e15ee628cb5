#include "transformer/base/progress.h"

#include <chrono>
#include <cmath>
#include <thread>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/log.h"

using namespace transformer;
using transformer::test::content_of;
using transformer::test::TemporaryFolder;

TEST_CASE("durations read as people say them") {
  CHECK(format_duration(0) == "0s");
  CHECK(format_duration(59.4) == "59s");
  CHECK(format_duration(187) == "3m07s");
  CHECK(format_duration(7500) == "2h05m");
  CHECK(format_duration(3 * 86400 + 4 * 3600) == "3d04h");
  CHECK(format_duration(1.0 / 0.0) == "?");
}

TEST_CASE("a line says how far, what, how long and how long yet") {
  CHECK(format_progress("train", 25, 100, "loss 3.21", 60, 180, 0) ==
        "train 25/100 25%  loss 3.21  1m00s elapsed, 3m00s left");
  CHECK(format_progress("train", 25, 100, "loss 3.21", 60, 180, 100) ==
        "train [=====               ] 25/100 25%  loss 3.21  1m00s elapsed, 3m00s left");
  CHECK(format_progress("read", 7, 0, "", 5, 0, 0) == "read 7  5s elapsed");
  CHECK(format_progress("train", 100, 100, "", 60, 0, 0) == "train 100/100 100%  1m00s elapsed");
  CHECK(format_progress("train", 999, 1000, "", 60, 0, 0) == "train 999/1000 99%  1m00s elapsed, 0s left");
}

TEST_CASE("what is left is told by the pace of late") {
  Pace steady(100);
  for (int i = 1; i < 1000; ++i) CHECK(steady.remaining(i, 100 + i, 1100) == 1000 - i);

  // Ten a second, and one from the hundredth second on.
  Pace slower(0);
  double elapsed = 0, remaining = 0;
  for (std::int64_t done = 10; done <= 1100; done += 10) {
    elapsed += done <= 1000 ? 1 : 10;
    remaining = slower.remaining(elapsed, done, 2000);
  }
  CHECK(elapsed == 200);
  CHECK(remaining > 500);  // at the mean pace it would be 164
  CHECK(remaining <= 900);
  for (std::int64_t done = 1110; done <= 1500; done += 10)
    remaining = slower.remaining(elapsed += 10, done, 2000);
  CHECK(remaining == 500);

  CHECK_FALSE(std::isfinite(Pace(5).remaining(10, 5, 100)));
}

TEST_CASE("a line never wraps") {
  for (std::size_t width = 1; width < 80; ++width) {
    CHECK(format_progress("train", 1, 100, "loss 3.21 ppl 24.8 lr 0.001", 60, 180, width).size() < width);
  }
}

TEST_CASE("what ends before its time says what was left") {
  const TemporaryFolder folder;
  start_logging("info", true);
  add_log_file(folder.path() / "log.txt");
  Progress progress("early", 10, {.quiet = true, .log_interval = 1000});
  progress.update(5);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // half is done: as much is left, no 0s
  progress.finish();
  const auto text = content_of(folder.path() / "log.txt");
  CHECK_THAT(text, ContainsSubstring("early 5/10 50%"));
  CHECK_THAT(text, ContainsSubstring(" left"));
  CHECK(text.find(", 0s left") == std::string::npos);
}

TEST_CASE("plain lines reach the log at their interval") {
  const TemporaryFolder folder;
  start_logging("info", true);
  add_log_file(folder.path() / "log.txt");
  {
    Progress progress("often", 10, {.quiet = true, .log_interval = 0});
    progress.update(5, "half");
    Progress seldom("seldom", 10, {.quiet = true, .log_interval = 1000});
    seldom.update(5);
    progress.finish();
  }
  const auto text = content_of(folder.path() / "log.txt");
  CHECK_THAT(text, ContainsSubstring("often 5/10 50%  half"));
  CHECK(text.find("seldom") == std::string::npos);
}
