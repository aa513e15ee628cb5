#include "transformer/experiments/kept_runs.h"

#include <fstream>

#include "tests/catch.h"
#include "tests/experiments/study.h"
#include "transformer/base/error.h"
#include "transformer/experiments/results.h"
#include "transformer/experiments/runner.h"
#include "transformer/report/report.h"

using namespace transformer;
using namespace transformer::experiments;
namespace fs = std::filesystem;

namespace {

/// Three finished runs, a folder for what is kept, and what is said.
struct Kept : test::ScriptedStudy {
  fs::path kept = folder.path() / "kept";
  fs::path out = study.output;

  explicit Kept(const std::string& more = "") {
    load("{name: base, seeds: 2}, {name: partial, set: {model.d_ff: 64}}", more);
    prepare();
    finish();
  }

  void finish() {
    const std::atomic<bool> go_on = false;
    Plan plan;
    for (const auto& variation : study.list.variations) plan[variation.name] = {.seconds = 1};
    run_all(study, plan, {.quiet = true, .interrupted = go_on, .changed = [] {}});
    forget_calls();
  }

  /// The lines of what is copied, with the folder's name left out.
  std::vector<std::string> keep() { return lines(keep_runs); }
  std::vector<std::string> take() { return lines(take_runs); }

  void edit(const fs::path& file, const std::string& from, const std::string& to) const {
    auto text = read_file(file);
    const auto place = text.find(from);
    REQUIRE(place != text.npos);
    std::ofstream(file) << text.replace(place, from.size(), to);
  }

  void asks_for_tests() {
    study.list.test = true;
    for (auto& variation : study.list.variations) variation.experiment.data.test = folder.path() / "dev";
  }

 private:
  template <typename Copy>
  std::vector<std::string> lines(Copy copy) {
    std::vector<std::string> all;
    copy(study, kept, [&](const std::string& line) {
      const auto place = line.find(folder.path());
      all.push_back(line.substr(0, place) + line.substr(place + folder.path().string().size() + 1));
    });
    return all;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("kept runs are taken elsewhere as finished, with the same report") {
  Kept runs;
  CHECK(runs.keep() == Lines{"kept kept/base/seed-1", "kept kept/base/seed-2", "kept kept/partial/seed-1"});
  CHECK(runs.keep().empty());
  const auto report = report::to_csv(collect_results(runs.study));
  CHECK_FALSE(fs::exists(runs.kept / "base/seed-1/train/checkpoints"));
  CHECK_THAT(read_file(runs.kept / "base/seed-1/config.yaml"), ContainsSubstring("  train: \"train\"\n"));

  runs.study.output = runs.folder.path() / "other";
  CHECK(runs.take() ==
        Lines{"taken other/base/seed-1", "taken other/base/seed-2", "taken other/partial/seed-1"});
  CHECK(runs.take().empty());
  runs.finish();
  CHECK(runs.calls().empty());
  CHECK(report::to_csv(collect_results(runs.study)) == report);
}

TEST_CASE("runs are kept in an archive and taken from it, and later ones are added to it") {
  Kept runs;
  const auto report = report::to_csv(collect_results(runs.study));
  runs.kept = runs.folder.path() / "results/study.tar.zst";
  runs.study.only = {"base"};
  CHECK(runs.keep() ==
        Lines{"kept results/study.tar.zst/base/seed-1", "kept results/study.tar.zst/base/seed-2"});
  const auto bytes = read_file(runs.kept);
  CHECK(runs.keep().empty());
  CHECK(read_file(runs.kept) == bytes);
  runs.study.only = {};
  CHECK(runs.keep() == Lines{"kept results/study.tar.zst/partial/seed-1"});
  CHECK(std::distance(fs::directory_iterator(runs.kept.parent_path()), {}) == 2);  // and its lock

  runs.study.output = runs.folder.path() / "other";
  CHECK(runs.take().size() == 3);
  CHECK(fs::exists(runs.study.output / "partial/seed-1/run.json"));
  runs.finish();
  CHECK(runs.calls().empty());
  CHECK(report::to_csv(collect_results(runs.study)) == report);
}

TEST_CASE("an archive that is damaged is neither taken nor replaced") {
  Kept runs;
  runs.kept = runs.folder.path() / "study.tar.zst";
  runs.keep();
  const auto cut = read_file(runs.kept).substr(0, 100);
  runs.folder.write("study.tar.zst", cut);
  CHECK_THROWS_WITH(runs.keep(), ContainsSubstring("study.tar.zst: expected an archive"));
  CHECK(read_file(runs.kept) == cut);
  runs.study.output = runs.folder.path() / "other";
  CHECK_THROWS_WITH(runs.take(), ContainsSubstring("study.tar.zst: expected an archive"));
}

TEST_CASE("of a learning curve are kept the dev set's lines and the last one of each sitting") {
  Kept runs;
  std::ofstream(runs.out / "base/seed-1/train/metrics.jsonl")
      << R"({"step":2,"split":"train","seconds":2,"time":102})"
         "\n"
         R"({"step":4,"split":"dev","perplexity":8.50,"seconds":3,"time":103})"
         "\n"
         R"({"step":6,"split":"train","seconds":4,"time":104})"
         "\n"
         R"({"step":8,"split":"train","seconds":5,"time":210})"
         "\n"
         R"({"step":9,"split":"train","seconds":6,"time":211})"
         "\n"
         R"({"step":10,"split":"dev","perplexity":7.5,"seconds":7,"time":212})"
         "\n"
         R"({"step":10,"split":"tr)";
  runs.keep();
  CHECK(read_lines(runs.kept / "base/seed-1/train/metrics.jsonl") ==
        Lines{R"({"step":4,"split":"dev","perplexity":8.50,"seconds":3,"time":103})",
              R"({"step":6,"split":"train","seconds":4,"time":104})",
              R"({"step":10,"split":"dev","perplexity":7.5,"seconds":7,"time":212})"});
}

TEST_CASE("runs that are not at their end, changed or damaged are not kept") {
  Kept runs;
  SECTION("not trained to the end") {
    runs.edit(runs.out / "base/seed-1/run.json", "\"trained\": 10", "\"trained\": 3");
  }
  SECTION("not translated as the list says") {
    runs.study.list.variations[0].experiment.decode.beam = 2;
  }
  SECTION("failed") {
    runs.edit(runs.out / "base/seed-1/run.json", "{", R"({"failure": {"reason": "so", "log": []},)");
  }
  SECTION("another configuration") {
    for (auto& variation : runs.study.list.variations)
      if (variation.name == kBaseline) variation.experiment.model.d_ff = 48;
  }
  SECTION("other data") {
    std::ofstream(runs.folder.path() / "prepared/checksums.sha256") << "others\n";
  }
  SECTION("a translation that is lost") {
    fs::remove(runs.out / "base/seed-1/dev.translation");
  }
  SECTION("a translation that was changed") {
    std::ofstream(runs.out / "base/seed-1/dev.translation") << "Hund\n";
  }
  runs.keep();
  CHECK_FALSE(fs::exists(runs.kept / "base/seed-1"));
}

TEST_CASE("a kept run gets its test set later, and another run of its name stays as it is") {
  Kept runs;
  runs.keep();
  runs.asks_for_tests();
  CHECK(runs.keep().empty());
  for (const auto* name : {"base/seed-1", "partial/seed-1"}) {
    const RunFolder folder{runs.out / name};
    auto record = read_record(folder);
    record.tested = record.decoded;
    write_record(folder, record);
    std::ofstream(folder.path / "test.translation") << "Katze\n";
    std::ofstream(runs.kept / name / "notes") << "mine\n";
  }
  std::ofstream(runs.kept / "partial/seed-1/dev.translation") << "Maus\n";
  CHECK(runs.keep() == Lines{"kept kept/base/seed-1"});
  CHECK(read_file(runs.kept / "base/seed-1/test.translation") == "Katze\n");
  CHECK(read_file(runs.kept / "base/seed-1/notes") == "mine\n");
  CHECK(read_file(runs.kept / "base/seed-1/run.json") == read_file(runs.out / "base/seed-1/run.json"));
  CHECK(read_file(runs.kept / "partial/seed-1/dev.translation") == "Maus\n");
  CHECK_FALSE(fs::exists(runs.kept / "partial/seed-1/test.translation"));
}

TEST_CASE("what a metric of predictions is judged by is kept, too") {
  Kept runs;
  runs.script("score", "printf '1 2\\n3 4\\n5 6\\n' >\"$output\"");
  for (auto& variation : runs.study.list.variations) variation.experiment.train.metric = "perplexity";
  runs.study.output = runs.folder.path() / "scored";
  runs.finish();
  CHECK(runs.keep().size() == 3);
  CHECK(read_lines(runs.kept / "base/seed-1/dev.perplexity").size() == 3);
  runs.study.output = runs.folder.path() / "other";
  CHECK(runs.take().size() == 3);
  runs.finish();
  CHECK(runs.calls().empty());
}

TEST_CASE("the runs of --only and --seeds alone are kept and taken") {
  Kept runs;
  runs.study.only = {"base"};
  runs.study.list.variations[0].seeds = {2};
  CHECK(runs.keep() == Lines{"kept kept/base/seed-2"});
}

TEST_CASE("what the output has already is not taken, nor what is not the list's") {
  Kept runs;
  runs.keep();
  runs.study.output = runs.folder.path() / "other";
  fs::create_directories(runs.study.output / "base/seed-1");
  runs.folder.write("other/base/seed-1/notes", "mine\n");
  runs.edit(runs.kept / "base/seed-2/config.yaml", "d_ff: 32", "d_ff: 48");
  SECTION("another configuration") {
    CHECK(runs.take() == Lines{"taken other/partial/seed-1"});
  }
  SECTION("test sets that the list asks for") {
    runs.asks_for_tests();
    CHECK(runs.take().empty());
  }
  CHECK(read_file(runs.folder.path() / "other/base/seed-1/notes") == "mine\n");
  CHECK_FALSE(fs::exists(runs.folder.path() / "other/base/seed-1/run.json"));
  CHECK_FALSE(fs::exists(runs.folder.path() / "other/base/seed-2"));
}

TEST_CASE("without data the steps of epochs are the kept run's own") {
  Kept runs;
  runs.keep();
  for (auto& variation : runs.study.list.variations) variation.experiment.train.epochs = 3;
  fs::rename(runs.folder.path() / "prepared", runs.folder.path() / "elsewhere");
  runs.study.output = runs.folder.path() / "other";
  CHECK(runs.take().size() == 3);
}

TEST_CASE("a folder that is not there, or that is both source and target, is refused") {
  Kept runs;
  CHECK_THROWS_WITH(runs.take(), ContainsSubstring("kept: expected a folder of runs, found none"));
  runs.kept = runs.out;
  CHECK_THROWS_AS(runs.keep(), InputError);
  CHECK_THROWS_AS(runs.take(), InputError);
}
