// The trainer's work beside the updates: saving, and planning the next epoch.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/train/bigram_task.h"
#include "transformer/base/checksums.h"
#include "transformer/base/log.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/train/trainer.h"

namespace transformer::train {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::BigramTask;
using test::content_of;

struct Runs {
  test::TemporaryFolder folder;
  config::Experiment experiment;
  BigramTask task;
  std::atomic<int> batches = 0;  ///< of training, so far
  const std::thread::id here = std::this_thread::get_id();

  Runs() {
    start_logging("off");
    torch::set_num_threads(1);
    experiment.train = {.steps = 40,  // thirteen updates an epoch
                        .schedule = Schedule::constant,
                        .warmup = 0,
                        .factor = 0.1,
                        .eval_every = 1000,
                        .save_every = 10,
                        .log_every = 1,
                        .keep = 20};
    task.training().fails = [this](const auto&) { return ++batches < 0; };
  }

  checkpoints::RunDirectory run() const { return {folder.path() / "run"}; }

  TrainOutcome train(bool resume = false, const std::atomic<bool>* interrupted = nullptr) {
    return train::train(task, experiment,
                        {.run = run().path, .resume = resume, .quiet = true, .interrupted = interrupted});
  }

  /// The step of the checkpoint whose folder in the making this is; 0 for another folder.
  int step_of(const fs::path& path) const {
    if (path.parent_path() != run().checkpoints()) return 0;
    return std::stoi(path.filename().string().substr(std::string(".step-").size()));
  }

  /// Of an epoch's thirteen updates of two, the last has one.
  static int batches_until(int step) { return 25 * (step / 13) + 2 * (step % 13); }

  /// Whether the training makes batches beyond that step while this thread waits for them.
  bool goes_beyond(int step) const {
    for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(10ms))
      if (batches > batches_until(step) + 4) return true;
    return false;
  }
};

TEST_CASE("updates go on while a checkpoint is written") {
  Runs runs;
  int during = 0;
  runs.task.on_write = [&](const fs::path& path) {
    const int step = runs.step_of(path);
    if (step == 0 || step == 40) return;
    CHECK(std::this_thread::get_id() != runs.here);
    during += runs.goes_beyond(step);
  };
  REQUIRE(runs.train() == TrainOutcome::finished);
  CHECK(during == 3);
  CHECK(runs.run().list_checkpoints().size() == 4);
  CHECK(runs.run().linked_step("last") == 40);
  for (const auto& checkpoint : runs.run().list_checkpoints())
    CHECK_NOTHROW(verify_checksums(checkpoint.path));
}

TEST_CASE("a save that fails ends the training with its message, and the run goes on from the one before") {
  Runs runs;
  runs.task.on_write = [&](const fs::path& path) {
    if (runs.step_of(path) == 20) throw RunError("disk/run/checkpoints: No space left on device");
  };
  CHECK_THROWS_WITH(runs.train(), "disk/run/checkpoints: No space left on device");
  // At most until the next save, which waits, and the batch that is made ahead.
  CHECK(runs.batches <= Runs::batches_until(30) + 1);
  CHECK(runs.run().linked_step("last") == 10);
  CHECK(runs.run().list_checkpoints().size() == 1);
  for (const auto& entry : fs::directory_iterator(runs.run().checkpoints()))
    CHECK(entry.path().filename().string().find("partial") == std::string::npos);
  runs.task.on_write = [](const auto&) {};
  REQUIRE(runs.train(true) == TrainOutcome::finished);
  CHECK(runs.run().linked_step("last") == 40);
}

TEST_CASE("an interruption amid a save leaves that one and its own") {
  Runs runs;
  std::atomic<bool> interrupted = false;
  runs.task.on_write = [&](const fs::path& path) {
    if (runs.step_of(path) != 10) return;
    interrupted = true;
    std::this_thread::sleep_for(50ms);
  };
  REQUIRE(runs.train(false, &interrupted) == TrainOutcome::interrupted);
  const auto list = runs.run().list_checkpoints();
  REQUIRE(list.size() >= 1);
  CHECK(list.front().step == 10);
  CHECK(runs.run().linked_step("last") == list.back().step);
  for (const auto& checkpoint : list) CHECK_NOTHROW(verify_checksums(checkpoint.path));
}

TEST_CASE("each epoch is planned once, beside the one before, and none that is not needed") {
  for (const std::int64_t steps : {13, 14, 26, 40}) {
    Runs runs;
    runs.experiment.train.steps = steps;
    std::mutex mutex;
    std::vector<std::int64_t> planned;
    runs.task.training().on_epoch = [&](std::int64_t number) {
      const std::lock_guard lock(mutex);
      CHECK((std::this_thread::get_id() == runs.here) == planned.empty());
      planned.push_back(number);
    };
    REQUIRE(runs.train() == TrainOutcome::finished);
    const auto epochs = (steps + 12) / 13;
    CHECK(std::ssize(planned) == epochs);
    for (std::size_t i = 0; i < planned.size(); ++i) CHECK(planned[i] == static_cast<std::int64_t>(i));
  }
}

TEST_CASE("an epoch that was planned beside another is the one that would have been planned in its turn") {
  Runs whole, piecewise;
  REQUIRE(whole.train() == TrainOutcome::finished);
  for (const std::int64_t steps : {13, 26, 39, 40}) {  // at each stop nothing was planned ahead
    piecewise.experiment.train.steps = steps;
    REQUIRE(piecewise.train(true) == TrainOutcome::finished);
  }
  for (const auto* name : {"model.safetensors", "optimizer.safetensors"})
    CHECK(content_of(whole.run().checkpoint(40) / name) == content_of(piecewise.run().checkpoint(40) / name));
}

TEST_CASE("a plan that fails ends the training when its epoch begins") {
  Runs runs;
  runs.task.training().on_epoch = [](std::int64_t number) {
    if (number == 2) throw RunError("no such epoch");
  };
  CHECK_THROWS_WITH(runs.train(), "no such epoch");
  CHECK(runs.batches == Runs::batches_until(26));
  CHECK(runs.run().linked_step("last") == 20);
}

TEST_CASE("a training that ends amid an epoch waits for the plan of the next") {
  Runs runs;
  std::atomic<bool> planned = false, interrupted = false;
  runs.task.training().on_epoch = [&](std::int64_t number) {
    if (number == 0) return;
    interrupted = true;
    std::this_thread::sleep_for(50ms);
    planned = true;
  };
  REQUIRE(runs.train(false, &interrupted) == TrainOutcome::interrupted);
  CHECK(planned);
}

}  // namespace
}  // namespace transformer::train
