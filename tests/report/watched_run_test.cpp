#include "transformer/report/watched_run.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::report {
namespace {

using test::TemporaryFolder;

const std::string train = R"({"step":10,"split":"train","loss":2.5,"flops":1e15,"seconds":4})"
                          "\n";
const std::string dev = R"({"step":10,"split":"dev","loss":null,"bleu":12.5,"seconds":6})"
                        "\n";

TEST_CASE("a run directory is read: numbers by key, and the time of all sittings") {
  const TemporaryFolder folder;
  folder.write("metrics.jsonl", train + dev + R"({"step":20,"split":"train","seconds":1})" + "\n" +
                                    R"({"step":30,"split":"train","seconds":2.5})" + "\n");
  folder.write("samples.jsonl", R"({"step":10,"sentence":2,"source":"a","reference":"b","translation":"c"})"
                                "\n");
  const auto run = read_watched_run(folder.path(), "mine");
  CHECK(run.name == "mine");
  REQUIRE(run.lines.size() == 4);
  CHECK(run.lines[0].step == 10);
  CHECK_FALSE(run.lines[0].dev);
  CHECK(run.lines[0].values.at("loss") == 2.5);
  CHECK(run.lines[0].values.at("flops") == 1e15);
  CHECK(run.lines[1].dev);
  CHECK(run.lines[1].values.count("loss") == 0);
  CHECK(run.lines[1].values.at("bleu") == 12.5);
  std::vector<double> seconds;
  for (const auto& line : run.lines) seconds.push_back(line.seconds);
  CHECK(seconds == std::vector<double>{4, 6, 7, 8.5});  // resumed after 6 seconds
  REQUIRE(run.samples.size() == 1);
  CHECK(run.samples[0].step == 10);
  CHECK(run.samples[0].sentence == 2);
  CHECK(run.samples[0].source + run.samples[0].reference + run.samples[0].translation == "abc");
}

TEST_CASE("a run that has begun may have measured nothing") {
  const TemporaryFolder folder;
  folder.write("metrics.jsonl", "");
  const auto run = read_watched_run(folder.path(), "");
  CHECK(run.lines.empty());
  CHECK(run.samples.empty());
}

TEST_CASE("a last line that is being written is passed over, one that is whole but for its end is not") {
  const TemporaryFolder folder;
  for (std::size_t cut = 1; cut < dev.size(); ++cut) {
    folder.write("metrics.jsonl", train + dev.substr(0, cut));
    CHECK(read_watched_run(folder.path(), "").lines.size() == (cut + 1 == dev.size() ? 2 : 1));
  }
}

TEST_CASE("what is no run, or holds other lines, is refused by name") {
  const TemporaryFolder folder;
  const auto read = [&] { return read_watched_run(folder.path(), ""); };
  CHECK_THROWS_AS(read(), InputError);
  CHECK_THROWS_WITH(read(), ContainsSubstring(folder.path().string()) && ContainsSubstring("metrics.jsonl"));
  for (const std::string bad :
       {"{\"step\":10,\"spl", "[]", "", R"({"split":"dev"})", R"({"step":-1,"split":"dev"})",
        R"({"step":1.5,"split":"dev"})", R"({"step":1,"split":"test"})", R"({"step":1,"split":7})"}) {
    INFO(bad);
    folder.write("metrics.jsonl", train + bad + "\n" + dev);
    CHECK_THROWS_AS(read(), InputError);
    CHECK_THROWS_WITH(
        read(), ContainsSubstring("metrics.jsonl:2: expected") && ContainsSubstring("found '" + bad + "'"));
  }
  folder.write("metrics.jsonl", train);
  folder.write("samples.jsonl", R"({"step":10,"sentence":2,"source":"a","reference":"b"})"
                                "\n");
  CHECK_THROWS_WITH(read(), ContainsSubstring("samples.jsonl:1: expected"));
}

TEST_CASE("runs are told apart by what differs in their paths") {
  using Names = std::vector<std::string>;
  CHECK(short_names({"/a/runs/mine/"}) == Names{"mine"});
  CHECK(short_names({"/a/runs/one", "/a/runs/two"}) == Names{"one", "two"});
  CHECK(short_names({"/a/study/base/seed-1/train", "/a/study/deep/seed-1/train"}) == Names{"base", "deep"});
  CHECK(short_names({"/a/base/seed-1/train", "/a/base/seed-2/train", "/a/deep/seed-1/train"}) ==
        Names{"base/seed-1", "base/seed-2", "deep/seed-1"});
  CHECK(short_names({"/a/b", "/a/b/c"}) == Names{"b", "b/c"});
  CHECK(short_names({"/a/b", "/a/b"}) == Names{"b", "b"});
}

}  // namespace
}  // namespace transformer::report
