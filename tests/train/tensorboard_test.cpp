#include "transformer/train/tensorboard.h"

#include <algorithm>
#include <map>

#include "tests/train/events.h"

namespace transformer::train {
namespace {

std::vector<std::string> tags_of(const test::Event& event) {
  std::vector<std::string> tags;
  for (const auto& scalar : event.scalars) tags.push_back(scalar.tag);
  return tags;
}

std::vector<std::int64_t> steps_of(const std::vector<test::Event>& events) {
  std::vector<std::int64_t> steps;
  for (const auto& event : events) steps.push_back(event.step);
  return steps;
}

using Tags = std::vector<std::string>;
using Steps = std::vector<std::int64_t>;

TEST_CASE("each split of a run is a run to TensorBoard, with what was measured of it") {
  const test::TemporaryFolder folder;
  const auto lines = folder.write(
      "metrics.jsonl",
      R"({"step":10,"split":"train","loss":2.5,"learning_rate":0.1,"flops":7,"seconds":3,"time":1700000000.5}
{"step":10,"split":"dev","loss":2.25,"perplexity":null,"learning_rate":0.1,"flops":7,"bleu":12.5,"seconds":4}
)");
  const auto samples =
      folder.write("samples.jsonl", R"({"step":10,"split":"dev","sentence":3,"source":"*a*",)"
                                    R"("reference":"b","translation":"c","time":1700000001})"
                                    "\n");
  TensorBoard tensorboard(folder.path() / "tensorboard", {lines, samples, folder.path() / "absent"}, 1.6e9);
  tensorboard.add(R"({"step":20,"split":"train","loss":2})");
  tensorboard.add("[]");

  const auto train = test::measured_events(folder.path() / "tensorboard" / "train");
  CHECK(steps_of(train) == Steps{10, 20});
  CHECK(train[0].time == 1700000000.5);
  CHECK(train[1].time == 1.6e9);  // no better is known
  CHECK(tags_of(train[0]) == Tags{"loss", "learning_rate", "flops"});
  CHECK(train[0].scalars[0].value == 2.5);
  const auto dev = test::measured_events(folder.path() / "tensorboard" / "dev");
  CHECK(steps_of(dev) == Steps{10, 10});
  CHECK(tags_of(dev[0]) == Tags{"loss", "bleu"});
  CHECK(dev[0].scalars[1].value == 12.5);
  CHECK(dev[1].tag == "samples/3");
  CHECK(dev[1].time == 1700000001);
  CHECK(dev[1].text == "    source       *a*\n    reference    b\n    translation  c\n");
}

std::ptrdiff_t count_files(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries(folder);
  return std::distance(begin(entries), end(entries));
}

TEST_CASE("a file of somebody else's stays as it is, whatever its name") {
  const test::TemporaryFolder folder;
  const auto place = folder.path() / "tensorboard";
  TensorBoard(place, {}, 1000).add(R"({"step":3,"split":"train","loss":1})");
  const auto own = test::content_of(place / "train" / "events.out.tfevents.0000001000.000000.transformer");
  const auto first = own.substr(0, own.find("brain.Event:2") + 13 + 4);  // with its checksum
  // TensorFlow on a machine that is called transformer has such names, and the same first record.
  const std::map<std::string, std::string> foreign = {{"1", ""},
                                                      {"2", own},
                                                      {"0000000003.000000", "mine"},
                                                      {"0000000004.000000", first},
                                                      {"0000000005.000000", first + own}};
  const auto file_of = [](const std::string& number) {
    return "events.out.tfevents." + number + ".transformer";
  };
  for (const auto& [number, content] : foreign) folder.write("tensorboard/train/" + file_of(number), content);
  for (const double now : {1001, 1002}) const TensorBoard restarted(place, {}, now);
  for (const auto& [number, content] : foreign)
    CHECK(test::content_of(place / "train" / file_of(number)) == content);
  CHECK(count_files(place / "train") == 5 + 2);
  // Nor is a new one written over any.
  folder.write("tensorboard/train/" + file_of("0000001003.000000"), "mine");
  CHECK_THROWS_WITH(TensorBoard(place, {}, 1003), ContainsSubstring("expected nothing, found a file"));
}

TEST_CASE("a process begins with what the run's files hold, in the place of what was there") {
  const test::TemporaryFolder folder;
  const auto lines = folder.write("metrics.jsonl", R"({"step":1,"split":"train","loss":3}
{"step":2,"split":"train","loss":2}
)");
  const auto place = folder.path() / "tensorboard";
  TensorBoard(place, {lines}, 1000).add(R"({"step":3,"split":"train","loss":1})");
  CHECK(steps_of(test::measured_events(place / "train")) == Steps{1, 2, 3});
  folder.write("tensorboard/train/events.out.tfevents.1.host", "somebody else's");
  folder.write("metrics.jsonl", R"({"step":1,"split":"train","loss":3}
)");
  TensorBoard(place, {lines}, 999)
      .add(R"({"step":2,"split":"train","loss":2.5})");  // a clock that was set back
  const auto train = test::measured_events(place / "train");
  CHECK(steps_of(train) == Steps{1, 2});
  CHECK(train[1].scalars[0].value == 2.5);
  CHECK(test::content_of(place / "train" / "events.out.tfevents.1.host") == "somebody else's");
  CHECK(count_files(place / "train") == 3);  // the emptied one, for those who still read it
  TensorBoard(place, {lines}, 1001);
  TensorBoard(place, {lines}, 1002);
  CHECK(count_files(place / "train") == 3);  // not one more each time
}

}  // namespace
}  // namespace transformer::train
