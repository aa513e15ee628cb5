#include "transformer/train/checkpoint.h"

#include "tests/catch.h"
#include "tests/damage.h"
#include "tests/train/training_parts.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"

namespace transformer::train {
namespace {

namespace fs = std::filesystem;
using test::Training;

struct Run {
  test::TemporaryFolder folder;
  data::DataOptions data = test::prepare_reverse_task(folder, 40, 4);
  checkpoints::RunDirectory directory{folder.path() / "run"};
  Training training{data};

  /// Steps once and saves; a score makes this the best.
  void step(std::int64_t keep, std::optional<double> best = std::nullopt) {
    training.step();
    if (best) {
      training.state.best = best;
      training.state.best_step = training.state.step;
    }
    save_checkpoint(directory, training.parts(), keep);
  }

  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> found;
    for (const auto& checkpoint : directory.list_checkpoints()) found.push_back(checkpoint.step);
    return found;
  }

  void damage(std::int64_t step, const char* name) const {
    std::fstream file(directory.checkpoint(step) / name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('#');
  }
};

TEST_CASE("a checkpoint brings back weights, moments and state, bit for bit") {
  Run run;
  run.training.step();
  run.step(5, -0.1);
  Training other(run.data, 2);
  other.experiment.seed = 1;
  REQUIRE_FALSE(test::equal_weights(other.model, run.training.model));
  REQUIRE(load_newest_checkpoint(run.directory, other.parts()));
  CHECK(other.state == run.training.state);
  CHECK(test::equal_weights(other.model, run.training.model));
  // Moments and the number of updates are right if the next step is the same.
  torch::manual_seed(3);
  run.training.step();
  torch::manual_seed(3);
  other.step();
  CHECK(test::equal_weights(other.model, run.training.model));
}

TEST_CASE("a checkpoint is a model directory") {
  Run run;
  run.step(5);
  const auto folder = run.directory.checkpoint(1);
  CHECK(folder.filename() == "step-00000001");
  for (const auto* name : {"model.safetensors", "config.yaml", "tokenizer.model", "checksums.sha256",
                           "optimizer.safetensors", "trainer.json"})
    CHECK(fs::exists(folder / name));
  const auto loaded = checkpoints::load_model(folder, torch::kCPU);
  CHECK(test::equal_weights(loaded.model, run.training.model));
  CHECK(loaded.experiment == run.training.experiment);
}

TEST_CASE("links point to the last and the best, and pruning keeps the latest and the best") {
  Run run;
  run.step(2);
  CHECK(run.directory.linked_step("best") == 1);  // none has been judged: the newest
  run.step(2, 1.0);
  run.step(2);
  run.step(2);
  run.step(2);
  CHECK(run.steps() == std::vector<std::int64_t>{2, 4, 5});
  CHECK(run.directory.linked_step("last") == 5);
  CHECK(run.directory.linked_step("best") == 2);
  CHECK(fs::read_symlink(run.directory.checkpoints() / "last") == "step-00000005");
  run.step(1, 2.0);
  CHECK(run.steps() == std::vector<std::int64_t>{6});
  CHECK(run.directory.linked_step("best") == 6);
}

TEST_CASE("what was saved besides does not crowd out the checkpoints that were due") {
  Run run;
  run.training.experiment.train.save_every = 4;
  for (int i = 0; i < 11; ++i) run.step(2);
  CHECK(run.steps() == std::vector<std::int64_t>{4, 8, 10, 11});
  run.step(2);
  CHECK(run.steps() == std::vector<std::int64_t>{8, 11, 12});
}

TEST_CASE("a checkpoint with something of the user's in it is neither pruned nor replaced") {
  Run run;
  run.step(1);
  const auto notes = run.directory.checkpoint(1) / "notes.txt";
  std::ofstream(notes) << "mine";
  run.step(1);
  run.step(1);
  CHECK(run.steps() == std::vector<std::int64_t>{1, 3});
  CHECK(test::content_of(notes) == "mine");
  std::ofstream(run.directory.checkpoint(3) / "notes.txt") << "mine";
  CHECK_THROWS_WITH(save_checkpoint(run.directory, run.training.parts(), 1),
                    ContainsSubstring("notes.txt: expected only"));
}

TEST_CASE("best never dangles, even where nothing is ever judged") {
  Run run;
  for (int i = 0; i < 4; ++i) run.step(2);
  CHECK(run.steps() == std::vector<std::int64_t>{3, 4});
  CHECK(run.directory.linked_step("best") == 4);
}

TEST_CASE("a damaged newest checkpoint is passed over and set aside") {
  Run run;
  run.step(5);
  run.step(5);
  run.step(5);
  run.damage(3, GENERATE("model.safetensors", "optimizer.safetensors", "trainer.json"));
  fs::remove(run.directory.checkpoint(2) / "optimizer.safetensors");
  Training other(run.data);
  REQUIRE(load_newest_checkpoint(run.directory, other.parts()));
  CHECK(other.state.step == 1);
  // Later checkpoints take their names, and pruning does not count them.
  CHECK(run.steps() == std::vector<std::int64_t>{1});
  CHECK(fs::exists(run.directory.checkpoints() / "step-00000003.damaged" / "config.yaml"));
  CHECK(fs::exists(run.directory.checkpoints() / "step-00000002.damaged"));
  CHECK(run.directory.linked_step("last") == 1);
  CHECK(run.directory.linked_step("best") == 1);
}

TEST_CASE("links are repaired where a crash came before them") {
  Run run;
  run.step(5);
  run.step(5, 1.0);
  run.step(5);
  fs::remove(run.directory.checkpoints() / "best");
  run.directory.link("last", 1);
  Training other(run.data);
  REQUIRE(load_newest_checkpoint(run.directory, other.parts()));
  CHECK(run.directory.linked_step("last") == 3);
  CHECK(run.directory.linked_step("best") == 2);
}

TEST_CASE(
    "where the best checkpoint is gone, the newest takes its place and is kept until another one is better") {
  Run run;
  run.step(2, 1.0);
  run.step(2);
  run.step(2);
  fs::remove_all(run.directory.checkpoint(1));
  REQUIRE(load_newest_checkpoint(run.directory, run.training.parts()));
  CHECK(run.training.state.best == 1.0);
  for (int i = 0; i < 4; ++i) run.step(2);
  CHECK(run.steps() == std::vector<std::int64_t>{3, 6, 7});
  CHECK(run.directory.linked_step("best") == 3);
  run.step(1, 2.0);
  CHECK(run.directory.linked_step("best") == 8);
}

TEST_CASE("an interim checkpoint that took the place of a lost best is kept, too") {
  Run run;
  run.step(2, 1.0);
  run.training.state.interim = true;
  run.step(2);
  fs::remove_all(run.directory.checkpoint(1));
  REQUIRE(load_newest_checkpoint(run.directory, run.training.parts()));
  CHECK(run.directory.linked_step("best") == 2);
  for (int i = 0; i < 4; ++i) run.step(2);
  CHECK(run.steps() == std::vector<std::int64_t>{2, 5, 6});
  run.step(1, 2.0);
  CHECK(run.directory.linked_step("best") == 7);
}

TEST_CASE("a run that was copied with links followed goes on, and has its links again") {
  Run run;
  run.step(5);
  run.step(5, 1.0);
  run.step(5);
  const checkpoints::RunDirectory copy{run.folder.path() / "copy"};
  fs::copy(run.directory.path, copy.path, fs::copy_options::recursive);  // follows links
  REQUIRE_FALSE(copy.linked_step("last"));
  CHECK(test::equal_weights(checkpoints::load_model(copy.path, torch::kCPU).model,
                            checkpoints::load_model(run.directory.path, torch::kCPU).model));
  Training other(run.data);
  REQUIRE(load_newest_checkpoint(copy, other.parts()));
  CHECK(copy.linked_step("last") == 3);
  CHECK(copy.linked_step("best") == 2);
  CHECK(std::distance(fs::directory_iterator(copy.checkpoints()), fs::directory_iterator()) == 5);
}

TEST_CASE("an interim checkpoint counts for nothing and goes with the next") {
  Run run;
  run.step(2);
  run.step(2);
  run.training.state.interim = true;
  run.step(2);
  CHECK(run.steps() == std::vector<std::int64_t>{1, 2, 3});
  Training other(run.data);
  REQUIRE(load_newest_checkpoint(run.directory, other.parts()));
  CHECK(other.state.step == 3);
  CHECK_FALSE(other.state.interim);
  run.training.state.interim = false;
  run.step(2);
  CHECK(run.steps() == std::vector<std::int64_t>{2, 4});
  CHECK(run.directory.linked_step("best") == 4);
}

TEST_CASE("an interim checkpoint that a crash left behind the next is removed when the run goes on") {
  Run run;
  run.training.state.interim = true;
  run.step(5);
  fs::copy(run.directory.checkpoint(1), run.folder.path() / "interim", fs::copy_options::recursive);
  run.training.state.interim = false;
  run.step(5);
  fs::rename(run.folder.path() / "interim", run.directory.checkpoint(1));
  Training other(run.data);
  REQUIRE(load_newest_checkpoint(run.directory, other.parts()));
  CHECK(run.steps() == std::vector<std::int64_t>{2});
}

TEST_CASE("a model with NaN or infinity is not saved over the last good checkpoint") {
  Run run;
  run.step(1);
  {
    const torch::NoGradGuard no_gradients;
    run.training.model->parameters()[1].flatten()[0].fill_(GENERATE(NAN, -INFINITY));
  }
  ++run.training.state.step;
  CHECK_THROWS_AS(save_checkpoint(run.directory, run.training.parts(), 1), RunError);
  CHECK(run.steps() == std::vector<std::int64_t>{1});
  CHECK(run.directory.linked_step("last") == 1);
}

TEST_CASE("skipped and lost updates do not count for the optimiser") {
  Run run;
  run.training.step();
  run.training.state.step = 12;
  run.training.state.skipped = 4;
  run.training.state.loss_scale = LossScale{.overflows = 7};
  save_checkpoint(run.directory, run.training.parts(), 5);
  Training other(run.data, 2);
  other.experiment.seed = 1;
  REQUIRE(load_newest_checkpoint(run.directory, other.parts()));
  CHECK(other.state.loss_scale == run.training.state.loss_scale);
  for (auto* training : {&run.training, &other}) {
    torch::manual_seed(3);
    training->step();
  }
  CHECK(test::equal_weights(other.model, run.training.model));
}

TEST_CASE("a checkpoint knows its configuration better than a damaged config.yaml of the run") {
  Run run;
  run.step(5);
  Training other(run.data);
  other.experiment.train.label_smoothing = 0.2;
  other.experiment.train.beta1 = 0.8;
  other.experiment.train.steps = 7;  // may change
  CHECK_THROWS_AS(load_newest_checkpoint(run.directory, other.parts()), InputError);
  CHECK_THROWS_WITH(load_newest_checkpoint(run.directory, other.parts()),
                    ContainsSubstring("'train.label_smoothing' is 0.1, found 0.2") &&
                        ContainsSubstring("'train.beta1' is 0.9, found 0.8") &&
                        !ContainsSubstring("'train.steps'"));
}

TEST_CASE("without a whole checkpoint nothing is loaded and nothing changes") {
  Run run;
  Training other(run.data, 2);
  const Training same(run.data, 2);
  CHECK_FALSE(load_newest_checkpoint(run.directory, other.parts()));
  run.step(5);
  run.damage(1, "model.safetensors");
  CHECK_FALSE(load_newest_checkpoint(run.directory, other.parts()));
  CHECK(other.state == TrainState{});
  CHECK(test::equal_weights(other.model, same.model));
}

TEST_CASE("a whole checkpoint of another model is an error, not a reason to start again") {
  Run run;
  run.step(5);
  const auto folder = run.directory.checkpoint(1);
  fs::copy_file(folder / "optimizer.safetensors", folder / "model.safetensors",
                fs::copy_options::overwrite_existing);
  write_checksums(folder);
  Training other(run.data);
  CHECK_THROWS_AS(load_newest_checkpoint(run.directory, other.parts()), InputError);
  CHECK_THROWS_WITH(load_newest_checkpoint(run.directory, other.parts()),
                    ContainsSubstring("model.safetensors"));
}

TEST_CASE("saving a step again replaces its checkpoint") {
  Run run;
  run.step(5);
  run.training.state.step = 0;
  run.step(5);
  CHECK(run.steps() == std::vector<std::int64_t>{1});
  CHECK(test::equal_weights(checkpoints::load_model(run.directory.path, torch::kCPU).model,
                            run.training.model));
  for (const auto& entry : fs::directory_iterator(run.directory.checkpoints()))
    CHECK_FALSE(entry.path().filename().string().starts_with("."));
}

TEST_CASE("damage to any file of a checkpoint is noticed, or does no harm") {
  Run run;
  run.step(5);
  const auto checkpoint = run.directory.checkpoint(1),
             aside = run.directory.checkpoints() / "step-00000001.damaged";
  const auto use = [&] {
    Training other(run.data);
    if (load_newest_checkpoint(run.directory, other.parts()))
      return other.state == run.training.state && test::equal_weights(other.model, run.training.model);
    fs::rename(aside, checkpoint);
    throw InputError("set aside");
  };
  start_logging("off");
  for (const auto* name : {"optimizer.safetensors", "trainer.json"})
    CHECK(test::damage_noticed(checkpoint / name, use) == 200);
  CHECK(test::damage_noticed(checkpoint / "checksums.sha256", use) > 100);
  CHECK(use());
}

}  // namespace
}  // namespace transformer::train
