#include "transformer/experiments/runner.h"

#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "tests/catch.h"
#include "tests/experiments/study.h"
#include "transformer/base/error.h"
#include "transformer/distributed/placement.h"
#include "transformer/experiments/stage_command.h"

using namespace transformer;
using namespace transformer::experiments;
namespace fs = std::filesystem;

namespace {

/// A prepared study and what its runner reports.
struct Running {
  test::ScriptedStudy scripted;
  Study& study = scripted.study;
  std::atomic<bool> interrupted = false;
  int changes = 0;
  std::map<std::string, double> seconds{{"base", 1}, {"wide", 5}, {"deep", 9}};

  Running() { scripted.prepare(); }

  Outcome run() {
    Plan plan;
    for (const auto& [name, time] : seconds) plan[name] = {.seconds = time};
    return run_all(study, plan,
                   {.quiet = true, .interrupted = interrupted, .changed = [this] { ++changes; }});
  }

  /// Is interrupted as soon as a training, which goes on for ever, has written this file.
  Outcome run_until(const fs::path& begun) {
    std::thread interrupter([&] {
      while (!fs::exists(begun)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      interrupted = true;
    });
    auto outcome = run();
    interrupter.join();
    return outcome;
  }

  RunFolder folder(const std::string& name, int seed = 1) const {
    return {study.output / name / ("seed-" + std::to_string(seed))};
  }
};

}  // namespace

TEST_CASE("a program that a run will need is missed before the first training") {
  Running running;
  running.scripted.load("{name: base, seeds: 2}, {name: wide, average: 2, set: {model.d_ff: 64}}");
  CHECK_NOTHROW(check_programs(running.study));
  const auto average = running.study.programs / "transformer-average";
  fs::permissions(average, fs::perms::owner_read);
  if (access(average.c_str(), X_OK) != 0)
    CHECK_THROWS_WITH(
        check_programs(running.study),
        average.string() + ": expected a program, which wide, seed 1 needs, found none that can be run");
  fs::remove(average);
  CHECK_THROWS_AS(check_programs(running.study), RunError);
  running.scripted.load("{name: base, seeds: 2}");
  CHECK_NOTHROW(check_programs(running.study));
}

TEST_CASE("each run is trained and translated, the baseline's first, and then left alone") {
  Running running;
  running.scripted.load(
      "{name: base, seeds: 2}, {name: wide, set: {model.d_ff: 64}}, {name: deep, set: {model.layers: 2}}");
  const auto outcome = running.run();
  CHECK(outcome.finished == 4);
  CHECK(outcome.failed == 0);
  CHECK_FALSE(outcome.interrupted);
  CHECK(running.changes == 4);
  const auto calls = running.scripted.calls();
  REQUIRE(calls.size() == 8);
  const auto expect = [&](std::size_t call, const std::string& run) {
    INFO(calls[call]);
    CHECK_THAT(calls[call], ContainsSubstring("train --config") &&
                                ContainsSubstring(run + "/train --resume") &&
                                ContainsSubstring("--device auto --precision fp32 --threads 1"));
    CHECK_THAT(calls[call + 1], ContainsSubstring("translate --model") &&
                                    ContainsSubstring(run + "/train/checkpoints/last") &&
                                    ContainsSubstring(run + "/dev.translation --overwrite") &&
                                    ContainsSubstring("--set decode.beam=4"));
  };
  expect(0, "base/seed-1");
  expect(2, "base/seed-2");
  expect(4, "deep/seed-1");  // longer than the other
  expect(6, "wide/seed-1");

  running.scripted.forget_calls();
  CHECK(running.run().finished == 4);
  CHECK(running.scripted.calls().empty());
}

TEST_CASE("several checkpoints are averaged between training and translating") {
  Running running;
  running.scripted.load("{name: base}", "average: 3\nset: {train.save_every: 2}\n");
  running.seconds = {{"base", 1}};
  CHECK(running.run().finished == 1);
  const auto calls = running.scripted.calls();
  REQUIRE(calls.size() == 3);
  CHECK_THAT(calls[1], ContainsSubstring("average --run") && ContainsSubstring("--last 3 --output"));
  CHECK_THAT(calls[2], ContainsSubstring("--model " + running.folder("base").model().string()));
}

TEST_CASE("each experiment averages as many checkpoints as it says") {
  Running running;
  running.scripted.load("{name: base}, {name: wide, set: {model.d_ff: 64}, average: 2}",
                        "set: {train.save_every: 2}\n");
  CHECK(running.run().finished == 2);
  CHECK(running.scripted.count_calls("average --run") == 1);
  CHECK(running.scripted.count_calls("--last 2 --output " + running.folder("wide").model().string()) == 1);
  CHECK(running.scripted.count_calls("--model " + running.folder("wide").model().string()) == 1);
  CHECK(running.scripted.count_calls("--model " +
                                     (running.folder("base").training() / "checkpoints/last").string()) == 1);
}

TEST_CASE("the test set is translated after the dev set, also when that is asked for later") {
  Running running;
  running.scripted.load("{name: base}", "set: {train.save_every: 2}\n");
  running.run();
  running.scripted.forget_calls();
  running.scripted.study.list.test = true;
  CHECK(running.run().finished == 1);
  auto calls = running.scripted.calls();
  REQUIRE(calls.size() == 1);
  CHECK_THAT(calls[0], ContainsSubstring("translate --model " +
                                         (running.folder("base").training() / "checkpoints/last").string()) &&
                           ContainsSubstring("/prepared/test.source.txt --output " +
                                             (running.folder("base").path / "test.translation").string()) &&
                           ContainsSubstring("--set decode.beam=4"));
  running.scripted.forget_calls();
  CHECK(running.run().finished == 1);
  CHECK(running.scripted.calls().empty());

  running.scripted.load("{name: base}", "test: true\naverage: 3\nset: {train.save_every: 2}\n");
  running.run();
  calls = running.scripted.calls();
  REQUIRE(calls.size() == 3);
  CHECK_THAT(calls[0], ContainsSubstring("average --run"));
  CHECK_THAT(calls[1], ContainsSubstring("dev.source.txt"));
  CHECK_THAT(calls[2], ContainsSubstring("test.source.txt") &&
                           ContainsSubstring("--model " + running.folder("base").model().string()));
}

TEST_CASE("other ways to translate need no other training, another model does") {
  Running running;
  running.scripted.load("{name: base}");
  running.run();
  running.scripted.forget_calls();
  running.scripted.load("{name: base, set: {decode.beam: 2}}");
  running.run();
  CHECK(running.scripted.count_calls("train --config") == 0);
  CHECK(running.scripted.count_calls("decode.beam=2") == 1);
  running.scripted.forget_calls();
  running.scripted.load("{name: base, set: {model.d_ff: 48}}");
  running.run();
  CHECK(running.scripted.count_calls("train --config") == 1);
  CHECK(fs::exists(running.study.output / "base" / "seed-1.changed" / "dev.translation"));
}

TEST_CASE("a run that fails is tried once more, and does not stop the others") {
  Running running;
  running.scripted.script("train", "echo 'error: no space left' >&2\ncase $run in *wide*) exit 1 ;; esac");
  const auto outcome = running.run();
  CHECK(outcome.finished == 2);
  CHECK(outcome.failed == 1);
  CHECK(running.changes == 3);
  CHECK(running.scripted.count_calls("wide/seed-1/train") == 2);
  const auto failure = read_record(running.folder("wide")).failure;
  REQUIRE(failure);
  CHECK(failure->reason == "training: exit status 1");
  CHECK(failure->log == std::vector<std::string>(2, "error: no space left"));

  SECTION("the same command tries it again") {
    running.scripted.script("train", "mkdir -p $run");
    const auto again = running.run();
    CHECK(again.finished == 3);
    CHECK(again.failed == 0);
    CHECK_FALSE(read_record(running.folder("wide")).failure);
  }
}

TEST_CASE("bad input is not tried again") {
  Running running;
  running.scripted.script("translate", "exit 2");
  const auto outcome = running.run();
  CHECK(outcome.finished == 0);
  CHECK(outcome.failed == 3);
  CHECK(running.scripted.count_calls("translate --model") == 3);
  CHECK(read_record(running.folder("base", 2)).failure->reason == "translating: exit status 2");
  CHECK(read_record(running.folder("base", 2)).trained == 10);
}

TEST_CASE("a launcher's variables are the runner's, and not those of what it runs") {
  Running running;
  const auto seen = running.scripted.folder.path() / "seen";
  running.scripted.script(
      "train", "mkdir -p $run; echo \"$RANK$WORLD_SIZE$SLURM_STEP_NUM_TASKS$OMPI_COMM_WORLD_SIZE\" >>" +
                   seen.string());
  for (const auto* name : distributed::kPlacingVariables) ::setenv(name, "2", 1);
  CHECK(running.run().finished == 3);
  for (const auto* name : distributed::kPlacingVariables) ::unsetenv(name);
  CHECK(read_file(seen) == "\n\n\n");
}

TEST_CASE("several runs are at work at once") {
  Running running;
  running.study.jobs = 3;
  // Each waits until all three have begun; in turn, none would end.
  const auto begun = (running.scripted.folder.path() / "begun").string();
  running.scripted.script("train", "echo >>" + begun + "\nfor i in $(seq 200); do [ $(wc -l <" + begun +
                                       ") = 3 ] && exit 0; sleep 0.05; done; exit 2");
  CHECK(running.run().finished == 3);
}

TEST_CASE("an interruption asks the programs to stop, waits for them, and is no failure") {
  Running running;
  const auto begun = running.scripted.folder.path() / "begun",
             saved = running.scripted.folder.path() / "saved";
  running.scripted.script("train", "trap 'sleep 0.3; echo >" + saved.string() + "; exit 130' TERM; echo >" +
                                       begun.string() + "; while :; do sleep 0.01; done");
  const auto outcome = running.run_until(begun);
  CHECK(outcome.interrupted);
  CHECK(outcome.failed == 0);
  CHECK(outcome.finished == 0);
  CHECK(fs::exists(saved));
  CHECK(running.changes == 0);
  CHECK_FALSE(read_record(running.folder("base")).failure);
  CHECK(read_record(running.folder("base")).trained == 0);

  running.interrupted = false;
  running.scripted.script("train", "mkdir -p $run");
  CHECK(running.run().finished == 3);
}

TEST_CASE("what an earlier call has finished is counted before a longer run begins") {
  Running running;
  running.scripted.load(
      "{name: base}, {name: wide, set: {model.d_ff: 64}}, {name: deep, set: {model.layers: 2}}");
  running.study.only = {"wide"};
  CHECK(running.run().finished == 2);
  running.study.only.clear();
  const auto begun = running.scripted.folder.path() / "begun";
  running.scripted.script("train", "echo >" + begun.string() + "; while :; do sleep 0.01; done");
  const auto outcome = running.run_until(begun);
  CHECK(outcome.interrupted);
  CHECK(outcome.finished == 2);
}

TEST_CASE("a run that changed since it was finished is not counted, and waits for its turn") {
  Running running;
  running.scripted.load("{name: base}, {name: wide, set: {model.d_ff: 64}}");
  CHECK(running.run().finished == 2);
  running.scripted.load(
      "{name: base}, {name: deep, set: {model.layers: 2}}, {name: wide, set: {model.d_ff: 48}}");
  const auto begun = running.scripted.folder.path() / "begun";
  running.scripted.script("train", "echo $run >" + begun.string() + "; while :; do sleep 0.01; done");
  CHECK(running.run_until(begun).finished == 1);
  CHECK_THAT(read_file(begun), ContainsSubstring("/deep/"));
  CHECK_FALSE(fs::exists(running.study.output / "wide" / "seed-1.changed"));
}

TEST_CASE("what auto was for a training it is for translations that are made later") {
  Running running;
  auto& scripted = running.scripted;
  running.study.precision = "bf16";
  CHECK(running.run().finished == 3);
  running.study.precision = "auto";
  for (auto& variation : running.study.list.variations) variation.experiment.decode.beam = 2;
  scripted.forget_calls();
  CHECK(running.run().finished == 3);
  CHECK(scripted.calls().size() == 3);
  CHECK(scripted.count_calls("translate --model") == 3);
  CHECK(scripted.count_calls("--precision bf16") == 3);
}

TEST_CASE("what was begun in another precision is not gone on with") {
  Running running;
  running.run();
  CHECK_NOTHROW(check_precision(running.study));
  running.study.precision = "bf16";
  CHECK_THROWS_WITH(check_precision(running.study),
                    ContainsSubstring("base/seed-1: begun with --precision fp32: expected the same"));
  running.study.output = running.scripted.folder.path() / "new";
  CHECK_NOTHROW(check_precision(running.study));
}
