#include "transformer/experiments/run_folder.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

using namespace transformer;
using namespace transformer::experiments;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// A run that is finished.
struct Finished {
  TemporaryFolder temporary;
  RunFolder folder{temporary.path() / "row" / "seed-1"};
  config::Experiment experiment;
  std::string put_aside;

  Finished() {
    auto record = open();
    record.trained = experiment.train.steps;
    record.decoded = decoding(experiment, 1);
    write_record(folder, record);
    fs::create_directory(folder.training());
    std::ofstream(folder.judged(experiment, "dev")) << "ein Satz\n";
  }

  Record open(const std::string& data = "sum", std::int64_t average = 1) {
    return open_run_folder(folder, experiment, average, "bf16", data, put_aside);
  }
  Stage next(std::int64_t average = 1) { return next_stage(folder, open(), experiment, average); }
};

}  // namespace

TEST_CASE("a run is trained, then decoded, then left alone") {
  const TemporaryFolder temporary;
  const RunFolder folder{temporary.path() / "row" / "seed-1"};
  const config::Experiment experiment;
  std::string put_aside;
  auto record = open_run_folder(folder, experiment, 1, "fp32", "sum", put_aside);
  CHECK(put_aside.empty());
  CHECK(next_stage(folder, record, experiment, 1) == Stage::train);
  record.trained = experiment.train.steps;
  CHECK(next_stage(folder, record, experiment, 1) == Stage::decode);
  CHECK(next_stage(folder, record, experiment, 5) == Stage::average);
  record.decoded = decoding(experiment, 1);
  CHECK(next_stage(folder, record, experiment, 1) == Stage::decode);  // its file is gone
  std::ofstream(folder.judged(experiment, "dev")) << "ein Satz\n";
  CHECK(next_stage(folder, record, experiment, 1) == Stage::nothing);
}

TEST_CASE("a finished run begins anew where another patience would have ended it elsewhere") {
  Finished run;
  run.experiment.train.patience = 7;
  CHECK(run.next() == Stage::train);
  CHECK(run.put_aside == "train.patience was 0 and is 7");
}

TEST_CASE("what decides when patience ends a run decides nothing without it") {
  for (const bool patient : {false, true}) {
    Finished run;
    auto& train = run.experiment.train;
    train.patience = patient ? 7 : 0;
    auto record = run.open();
    record.trained = train.steps;
    write_record(run.folder, record);
    train.eval_every += 1;
    train.metric_every += 1;
    CHECK(run.open("sum").trained == (patient ? 0 : train.steps));
    if (patient) CHECK_THAT(run.put_aside, ContainsSubstring("train.eval_every was"));
  }
}

TEST_CASE("a finished run begins anew where other checkpoints would be averaged") {
  Finished run;
  run.experiment.train.save_every += 1;
  CHECK(run.open("sum", 1).trained > 0);
  CHECK(run.put_aside.empty());
  CHECK(run.open("sum", 5).trained == 0);  // also where a list that averages nothing said so first
  CHECK_THAT(run.put_aside, ContainsSubstring("train.save_every was "));
}

TEST_CASE("a run that kept fewer checkpoints than are to be averaged now begins anew") {
  Finished run;
  run.experiment.train.keep = 3;
  run.open("sum", 1);
  run.experiment.train.keep = 5;
  CHECK(run.open("sum", 3).trained > 0);
  run.experiment.train.keep = 3;
  run.open("sum", 1);
  SECTION("which it did not do under that number") {
    run.experiment.train.keep = 5;
    CHECK(run.open("sum", 5).trained == 0);
    CHECK(run.put_aside == "train.keep was 3, and 5 checkpoints are to be averaged");
  }
  SECTION("but for what was averaged while they were there") {
    auto record = run.open("sum", 3);
    record.decoded = decoding(run.experiment, 5);
    write_record(run.folder, record);
    run.experiment.train.keep = 5;
    CHECK(run.open("sum", 5).trained > 0);
  }
}

TEST_CASE("so does a training that is not finished, of which checkpoints at other steps are to be averaged") {
  Finished run;
  auto record = read_record(run.folder);
  record.trained = 0;
  write_record(run.folder, record);
  run.experiment.train.save_every += 1;
  CHECK(what_changed(run.folder, record, run.experiment, 1, "sum").empty());
  CHECK(what_changed(run.folder, record, run.experiment, 2, "sum").empty());  // nothing was saved yet
  fs::create_directories(run.folder.training());
  std::ofstream(run.folder.metrics()) << R"({"step":1,"split":"train","perplexity":9,"flops":10,"seconds":1})"
                                      << "\n";
  CHECK(what_changed(run.folder, record, run.experiment, 1, "sum").empty());
  CHECK_THAT(what_changed(run.folder, record, run.experiment, 2, "sum"),
             ContainsSubstring("train.save_every was "));
}

TEST_CASE("where the test set is wanted it is translated last, by the model of the dev set") {
  Finished run;
  const auto next = [&](std::int64_t average = 1) {
    return next_stage(run.folder, run.open(), run.experiment, average, true);
  };
  CHECK(next() == Stage::test);
  auto record = run.open();
  record.tested = decoding(run.experiment, 1);
  write_record(run.folder, record);
  CHECK(next() == Stage::test);  // its file is not there
  std::ofstream(run.folder.judged(run.experiment, "test")) << "ein Satz\n";
  CHECK(next() == Stage::nothing);
  run.experiment.decode.alpha = 1;
  CHECK(next() == Stage::decode);

  record.decoded = decoding(run.experiment, 5);
  write_record(run.folder, record);
  CHECK(next(5) == Stage::average);  // nobody kept the average
  fs::create_directory(run.folder.model());
  record.averaged = decoding(run.experiment, 3);
  write_record(run.folder, record);
  CHECK(next(5) == Stage::average);  // it is of other checkpoints
  record.averaged = decoding(run.experiment, 5);
  write_record(run.folder, record);
  CHECK(next(5) == Stage::test);
  CHECK(run.next(5) == Stage::nothing);
}

TEST_CASE("what does not decide the weights lets a run's training stand") {
  Finished run;
  CHECK(run.next() == Stage::nothing);
  run.experiment.train.keep += 1;
  run.experiment.data.prepared = "/elsewhere";
  CHECK(run.next() == Stage::nothing);
  CHECK(run.next(5) == Stage::average);
  run.experiment.decode.alpha = 1;
  CHECK(run.next() == Stage::decode);
  run.experiment.train.steps *= 2;
  CHECK(run.next() == Stage::train);
  CHECK(run.put_aside.empty());
  CHECK(fs::exists(run.folder.training()));
}

TEST_CASE("a run that was begun with a number of tokens in a micro-batch stands where it is auto now") {
  Finished run;
  run.experiment.train.micro_tokens = 4096;
  run.open();
  CHECK_FALSE(run.put_aside.empty());
  auto record = run.open();
  record.trained = run.experiment.train.steps;
  write_record(run.folder, record);
  run.experiment.train.micro_tokens.reset();
  CHECK(run.next() == Stage::decode);
  CHECK(run.put_aside.empty());
}

TEST_CASE("a run of another configuration is put aside, not lost") {
  Finished run;
  run.experiment.model.heads = 4;
  CHECK(run.next() == Stage::train);
  CHECK(run.put_aside == "model.heads was 8 and is 4");
  CHECK_FALSE(fs::exists(run.folder.training()));
  CHECK(fs::exists(run.folder.path.string() + ".changed/train"));
  run.experiment.seed = 9;
  CHECK(run.next() == Stage::train);
  CHECK(fs::exists(run.folder.path.string() + ".changed-2/config.yaml"));
}

TEST_CASE("so is one with fewer steps or other data") {
  Finished fewer;
  fewer.experiment.train.steps /= 2;
  fewer.open();
  CHECK(fewer.put_aside == "trained to step 100000, and train.steps is 50000");
  Finished other;
  other.open("another sum");
  CHECK(other.put_aside == "the prepared data are others");
}

TEST_CASE("so is a longer training that is not finished, where fewer steps are wanted") {
  Finished run;
  const auto steps = run.experiment.train.steps;
  run.experiment.train.steps = 2 * steps;
  CHECK(run.next() == Stage::train);
  std::ofstream(run.folder.metrics()) << R"({"step":)" << steps + 7 << "}\n";
  CHECK(run.next() == Stage::train);
  CHECK(run.put_aside.empty());
  run.experiment.train.steps = steps;
  CHECK(run.next() == Stage::train);
  CHECK(run.put_aside == "trained to step 100007, and train.steps is 100000");
}

TEST_CASE("where the precision is found by the program, a finished training says what it was") {
  Finished run;
  const auto open = [&](const std::string& precision) {
    return open_run_folder(run.folder, run.experiment, 1, precision, "sum", run.put_aside).precision;
  };
  CHECK(open("auto") == "bf16");
  auto record = run.open();
  record.trained = 0;
  write_record(run.folder, record);
  CHECK(open("auto") == "auto");
  CHECK(computed(run.folder).precision.empty());
  fs::create_directories(run.folder.training() / "checkpoints" / "last");
  std::ofstream(run.folder.training() / "checkpoints" / "last" / "trainer.json")
      << R"({"precision": "fp16", "device": "cuda"})";
  CHECK(computed(run.folder).precision == "fp16");
  CHECK(computed(run.folder).device == "cuda");
  record.device = "cuda";
  write_record(run.folder, record);
  CHECK(read_record(run.folder).device == "cuda");
}

TEST_CASE("a failure is noted until the run is tried again") {
  Finished run;
  auto record = run.open();
  record.failure = Failure{"training: exit status 1", {"a line", "a \xFF byte"}};
  write_record(run.folder, record);
  const auto read = read_record(run.folder);
  REQUIRE(read.failure);
  CHECK(read.failure->reason == "training: exit status 1");
  CHECK(read.failure->log.size() == 2);
  CHECK_FALSE(run.open().failure);
}

TEST_CASE("a record that was cut off is as good as none: the training's files tell how far a run has come") {
  Finished run;
  const auto whole = test::content_of(run.folder.record());
  for (const auto length : {std::size_t{0}, std::size_t{1}, whole.size() / 2}) {
    std::ofstream(run.folder.record()) << whole.substr(0, length);
    CHECK(read_record(run.folder).trained == 0);
    CHECK(run.open().trained == 0);
    CHECK(run.put_aside.empty());
  }
}
