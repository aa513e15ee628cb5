#include "transformer/train/run_setup.h"

#include "tests/catch.h"
#include "tests/train/training_parts.h"
#include "transformer/base/error.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepare.h"

namespace transformer::train {
namespace {

namespace fs = std::filesystem;
using test::Training;

struct OpenedRun {
  FolderLock lock;
  bool resumed;
};

OpenedRun open_run(const checkpoints::RunDirectory& run, bool resume, const TrainingParts& parts) {
  auto lock = claim_run(run, resume, parts.task);
  const bool resumed = enter_run(run, resume, parts);
  return {std::move(lock), resumed};
}

TEST_CASE("a run does not go on with another tokenizer") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  training.step();
  save_checkpoint(run, training.parts(), 5);
  auto options = training.experiment.data;
  options.prepared = (folder.path() / "other").string();
  options.vocabulary = 24;
  data::prepare(options, {.threads = 1, .quiet = true});
  Training other(options);
  other.experiment = training.experiment;
  CHECK_THROWS_WITH(open_run(run, true, other.parts()), ContainsSubstring("other/tokenizer.model"));
}

TEST_CASE("a run directory begins with configuration, tokenizer and log") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "deep" / "run"};
  CHECK_FALSE(open_run(run, false, training.parts()).resumed);
  CHECK(config::load_experiment(run.config()) == training.experiment);
  CHECK(test::content_of(run.path / "tokenizer.model") ==
        test::content_of(fs::path(training.experiment.data.prepared) / "tokenizer.model"));
  CHECK(fs::exists(run.log()));
}

TEST_CASE("a directory that holds a training is not begun again") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  open_run(run, false, training.parts());
  CHECK_THROWS_AS(open_run(run, false, training.parts()), InputError);
  CHECK_THROWS_WITH(open_run(run, false, training.parts()),
                    ContainsSubstring(run.path.string()) && ContainsSubstring("--resume"));
  CHECK_FALSE(open_run(run, true, training.parts()).resumed);  // no checkpoint yet: from the start
}

TEST_CASE("checkpoints without a configuration are a training, too, that another may not replace") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  fs::create_directories(run.checkpoint(8));
  CHECK_THROWS_WITH(open_run(run, false, training.parts()), ContainsSubstring("holds a training already"));
  CHECK(fs::exists(run.checkpoint(8)));
}

TEST_CASE("no file from elsewhere is replaced where a run begins") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const auto prepared = folder.path() / "prepared";
  fs::create_directory(folder.path() / "run");
  const checkpoints::RunDirectory run{GENERATE(0, 1) == 0 ? prepared : folder.path() / "run"};
  const auto name = run.path == prepared ? "tokenizer.model" : "metrics.jsonl";
  if (run.path != prepared) folder.write("run/metrics.jsonl", "mine");
  const auto before = test::content_of(run.path / name);
  for (const bool resume : {false, true})
    CHECK_THROWS_WITH(open_run(run, resume, training.parts()),
                      ContainsSubstring(name) && ContainsSubstring("is not replaced"));
  CHECK(test::content_of(run.path / name) == before);
  CHECK_FALSE(fs::exists(run.path / ".lock"));
}

TEST_CASE("files where a run has folders, and folders where it has files, are refused before it begins") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  const std::string name = GENERATE("tensorboard", "checkpoints", "log.txt");
  fs::create_directory(run.path);
  if (name == "log.txt")
    fs::create_directory(run.log());
  else
    folder.write("run/" + name, "mine");
  CHECK_THROWS_AS(open_run(run, false, training.parts()), InputError);
  CHECK_THROWS_WITH(open_run(run, false, training.parts()),
                    ContainsSubstring((run.path / name).string() + ": expected a ") &&
                        ContainsSubstring("name another --run"));
  CHECK(std::distance(fs::directory_iterator(run.path), {}) == 1);
}

TEST_CASE("a run goes on under its own configuration") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  open_run(run, false, training.parts());
  training.step();
  save_checkpoint(run, training.parts(), 5);
  auto& experiment = training.experiment;

  const auto refused = [&](const std::string& key) {
    CHECK_THROWS_AS(open_run(run, true, training.parts()), InputError);
    CHECK_THROWS_WITH(open_run(run, true, training.parts()), ContainsSubstring("'" + key + "'"));
  };
  SECTION("dropout") {
    experiment.model.dropout = 0.2;
    refused("model.dropout");
  }
  SECTION("label smoothing") {
    experiment.train.label_smoothing = 0.0;
    refused("train.label_smoothing");
  }
  SECTION("seed") {
    experiment.seed = 2;
    refused("seed");
  }
  SECTION("several keys, each of which is named") {
    experiment.model.heads = 2;
    experiment.train.factor = 2;
    experiment.train.max_skipped = 3;
    refused("model.heads");
    refused("train.factor");
  }
  SECTION("another precision") {
    training.state.conditions.precision = "bf16";
    CHECK_THROWS_WITH(open_run(run, true, training.parts()), ContainsSubstring("--precision"));
  }
  SECTION("batches in another order, unless no update is left") {
    training.state.conditions.batch_order = 2;
    CHECK_THROWS_WITH(open_run(run, true, training.parts()), ContainsSubstring("other batches"));
    experiment.train.steps = training.state.step;
    training.state.conditions.batch_order = 2;
    CHECK(open_run(run, true, training.parts()).resumed);
    CHECK(training.state.conditions.batch_order == 1);  // so that it does not go on with others later
  }
  SECTION("how long it trains, what it keeps and where its data lie may change") {
    experiment.train.steps = 7;
    experiment.train.keep = 3;
    experiment.train.max_skipped = 2;
    experiment.train.patience = 9;
    experiment.data.prepared = folder.path() / "elsewhere";
    experiment.decode.beam = 1;
    CHECK(open_run(run, true, training.parts()).resumed);
    CHECK(config::load_experiment(run.config()) == experiment);
  }
}

TEST_CASE("a run whose checkpoints are gone does not begin anew over what it has measured") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  training.experiment.train.save_every = 10;
  const checkpoints::RunDirectory run{folder.path() / "run"};
  open_run(run, false, training.parts());
  const std::string within = R"({"step":20,"split":"train"})"
                             "\n",
                    beyond = R"({"step":21,"split":"train"})"
                             "\n";
  std::ofstream(run.metrics()) << within;  // it may have ended while its first checkpoint was saved
  CHECK_FALSE(open_run(run, true, training.parts()).resumed);
  std::ofstream(run.metrics(), std::ios::app) << beyond;
  CHECK_THROWS_WITH(
      open_run(run, true, training.parts()),
      ContainsSubstring("expected a whole checkpoint to go on from, since metrics.jsonl goes to step 21"));
  CHECK(test::content_of(run.metrics()) == within + beyond);
}

TEST_CASE("a configuration that was cut off is not taken for one with defaults") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  open_run(run, false, training.parts());
  check_whole_configuration(run);  // no checkpoint yet
  training.step();
  save_checkpoint(run, training.parts(), 5);
  training.step();
  save_checkpoint(run, training.parts(), 5);
  check_whole_configuration(run);
  const auto whole = test::content_of(run.config());
  for (const auto* key : {"train", "  save_every", "  beam"}) {
    folder.write("run/config.yaml", whole.substr(0, whole.find("\n" + std::string(key) + ":") + 1));
    CHECK_THROWS_WITH(check_whole_configuration(run),
                      ContainsSubstring("config.yaml: key '") && ContainsSubstring("the file is not whole"));
  }
  // A damaged checkpoint is passed over, as it is by the training.
  folder.write("run/config.yaml", whole);
  folder.write("run/checkpoints/step-00000002/config.yaml", "train: {\n");
  check_whole_configuration(run);
}

TEST_CASE("a run whose configuration is gone goes on with its newest checkpoint's") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  open_run(run, false, training.parts());
  CHECK(configuration_of(run) == run.config());
  fs::remove(run.config());
  CHECK(configuration_of(run) == run.config());  // where nothing else has it, its absence is said
  training.step();
  save_checkpoint(run, training.parts(), 5);
  training.step();
  save_checkpoint(run, training.parts(), 5);
  CHECK(configuration_of(run) == run.checkpoint(2) / checkpoints::kConfigFile);
  folder.write("run/checkpoints/step-00000002/config.yaml", "seed: 2\n");
  CHECK_THROWS_WITH(configuration_of(run), ContainsSubstring("config.yaml: damaged"));
}

TEST_CASE("a run that cannot be read stays as it is") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  training.step();
  save_checkpoint(run, training.parts(), 5);
  const auto weights = run.checkpoint(1) / checkpoints::kWeightsFile;
  fs::remove(weights);
  fs::create_symlink(weights.filename(), weights);  // no one, not even root, reads a link to itself
  CHECK_THROWS_WITH(open_run(run, true, training.parts()),
                    ContainsSubstring("model.safetensors: reading failed"));
  CHECK(fs::exists(run.checkpoint(1)));
}

TEST_CASE("where train.bucket_tokens and train.micro_tokens are auto, a run goes on with its own numbers") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  const auto automatic = training.experiment;
  CHECK_FALSE(as_begun(run, automatic).train.bucket_tokens);
  CHECK_FALSE(as_begun(run, automatic).train.micro_tokens);
  training.experiment.train.bucket_tokens = 120;
  training.experiment.train.micro_tokens = 150;
  open_run(run, false, training.parts());
  training.step();
  save_checkpoint(run, training.parts(), 5);
  CHECK(as_begun(run, automatic).train.bucket_tokens == 120);
  CHECK(as_begun(run, automatic).train.micro_tokens == 150);
  // A run of an earlier version, which planned with train.micro_tokens.
  auto text = read_file(run.config());
  text.erase(text.find("  bucket_tokens: 120\n"), std::string("  bucket_tokens: 120\n").size());
  write_file_atomically(run.config(), text);
  CHECK(as_begun(run, automatic).train.bucket_tokens == 150);
  fs::remove(run.config());
  CHECK(as_begun(run, automatic).train.micro_tokens == 150);
  training.experiment.train.micro_tokens = 200;
  CHECK(as_begun(run, training.experiment).train.micro_tokens == 200);
}

TEST_CASE("a run that another training uses is refused") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  const auto opened = open_run(run, false, training.parts());
  CHECK(fs::is_directory(run.checkpoints()));
  CHECK_THROWS_AS(open_run(run, true, training.parts()), InputError);
  CHECK_THROWS_WITH(open_run(run, true, training.parts()), ContainsSubstring("another training"));
}

TEST_CASE("what a killed process left half-written is removed") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.path() / "run"};
  const auto left = run.checkpoints() / ".step-00000003.partial-1-1";
  fs::create_directories(left);
  open_run(run, true, training.parts());
  CHECK_FALSE(fs::exists(left));
}

TEST_CASE("a run directory that cannot be made is named") {
  const test::TemporaryFolder folder;
  Training training(test::prepare_reverse_task(folder, 40, 4));
  const checkpoints::RunDirectory run{folder.write("file", "") / "run"};
  CHECK_THROWS_AS(open_run(run, false, training.parts()), InputError);
  CHECK_THROWS_WITH(open_run(run, false, training.parts()), ContainsSubstring(run.path.string()));
}

}  // namespace
}  // namespace transformer::train
