// What the trainer does beside the updates: saving.
#include <atomic>
#include <chrono>
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
  CHECK(runs.batches <= Runs::batches_until(30));  // where the next save waits, at the latest
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

}  // namespace
}  // namespace transformer::train
