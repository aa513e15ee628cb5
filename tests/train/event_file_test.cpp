#include "transformer/train/event_file.h"

#include "tests/train/events.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

using namespace std::string_literals;

// Computed from the definition: 0xE3069283 turned by 15 bits, and 0xA282EAD8 added.
TEST_CASE("a checksum is masked as TFRecord's are") {
  CHECK(masked_crc32c("123456789") == 0xC78AB0E5U);
  CHECK(masked_crc32c("") == 0xA282EAD8U);
}

// The bytes that tensorboard 2.21 (RecordWriter in its summary.writer) writes for it.
TEST_CASE("a record has its length, its content, and checksums of both") {
  CHECK(frame_record("abc") == "\x03\0\0\0\0\0\0\0\xB0\x99\x49\x0E\x61\x62\x63\x6E\x57\xF1\x21"s);
}

TEST_CASE("an event file holds what was written, with its steps and times") {
  const test::TemporaryFolder folder;
  EventFile file(folder.path(), 1.7e9);
  CHECK(file.path().filename() == "events.out.tfevents.1700000000.000000.transformer");
  file.write({.seconds = 1700000001.5, .step = 100}, std::vector<Scalar>{{"loss", 2.5}, {"flops", 1e18}});
  file.write({.seconds = 1700000002.25, .step = 1'000'000'000'000}, "samples/1", "    text\n");
  const auto events = test::measured_events(folder.path());  // each is on the disk already
  REQUIRE(events.size() == 2);
  CHECK(events[0].step == 100);
  CHECK(events[0].time == 1700000001.5);
  REQUIRE(events[0].scalars.size() == 2);
  CHECK(events[0].scalars[0].tag == "loss");
  CHECK(events[0].scalars[0].value == 2.5);
  CHECK(events[0].scalars[1].tag == "flops");
  CHECK(events[0].scalars[1].value == 1e18F);
  CHECK(events[1].step == 1'000'000'000'000);
  CHECK(events[1].time == 1700000002.25);
  CHECK(events[1].tag == "samples/1");
  CHECK(events[1].text == "    text\n");
}

TEST_CASE("a folder that is not there is named") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(EventFile(folder.path() / "absent", 0), InputError);
  CHECK_THROWS_WITH(EventFile(folder.path() / "absent", 0), ContainsSubstring("absent"));
}

}  // namespace
}  // namespace transformer::train
