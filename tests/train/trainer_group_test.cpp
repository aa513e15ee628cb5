// Trainings of several processes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/distributed/members.h"
#include "tests/train/reverse_run.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/train/trainer.h"

namespace transformer::train {
namespace {

using test::ReverseTask;

/// Dropout, and examples enough for some updates of an epoch.
ReverseTask reverse_task() {
  return ReverseTask(150, 20);
}

/// A training by so many processes. Their tasks are made before, one after another, from seeds that differ:
/// all begin with rank 0's weights nevertheless. interrupted: rank 1's.
std::vector<TrainOutcome> train_together(const ReverseTask& reverse, std::int64_t processes,
                                         const std::string& run, bool resume = false,
                                         const std::atomic<bool>* interrupted = nullptr,
                                         const tasks::TextTask::Measure& measure = {}) {
  std::vector<std::unique_ptr<tasks::TextTask>> tasks;
  for (std::int64_t rank = 0; rank < processes; ++rank) {
    auto experiment = reverse.experiment;
    experiment.seed += rank;
    tasks.push_back(std::make_unique<tasks::TextTask>(experiment, torch::kCPU, measure));
  }
  const test::MeetingPlace place;
  std::vector<TrainOutcome> outcomes(static_cast<std::size_t>(processes));
  test::run_ranks(processes, [&](std::int64_t rank) {
    distributed::JoinSettings settings;
    if (rank == 1) settings.interrupted = interrupted;
    distributed::Group group(place.placement(rank, processes), settings);
    outcomes[static_cast<std::size_t>(rank)] = test::live(group, [&](distributed::Group& others) {
      auto own = reverse.settings(run, resume);
      own.group = &others;
      own.interrupted = &others.interrupted();
      return train(*tasks[static_cast<std::size_t>(rank)], reverse.experiment, own);
    });
  });
  return outcomes;
}

bool all_are(const std::vector<TrainOutcome>& outcomes, TrainOutcome expected) {
  return std::ranges::count(outcomes, expected) == std::ssize(outcomes);
}

nlohmann::json state_of(const checkpoints::RunDirectory& run) {
  return nlohmann::json::parse(test::content_of(run.checkpoints() / "last" / "trainer.json"));
}

/// Where a run stands, which no width may change.
void check_same_place(const checkpoints::RunDirectory& a, const checkpoints::RunDirectory& b) {
  const auto left = state_of(a), right = state_of(b);
  for (const auto* key : {"step", "epoch", "epoch_update", "source_tokens", "target_tokens", "skipped",
                          "evaluated", "finished"}) {
    INFO(key);
    REQUIRE(left.contains(key));
    CHECK(left[key] == right[key]);
  }
}

/// Whether the metrics tell the same but for rounding.
void check_same_trajectory(const checkpoints::RunDirectory& a, const checkpoints::RunDirectory& b) {
  const auto left = test::metrics(a), right = test::metrics(b);
  REQUIRE(left.size() == right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    CHECK(left[i]["step"] == right[i]["step"]);
    CHECK(left[i]["split"] == right[i]["split"]);
    CHECK(left[i]["loss"].get<double>() == Approx(right[i]["loss"].get<double>()).epsilon(1e-4));
    CHECK(left[i]["learning_rate"] == right[i]["learning_rate"]);
  }
}

void check_same_bytes(const checkpoints::RunDirectory& a, const checkpoints::RunDirectory& b) {
  for (const auto* name : {"model.safetensors", "optimizer.safetensors"}) {
    INFO(name);
    const bool same = test::content_of(a.checkpoints() / "last" / name) ==
                      test::content_of(b.checkpoints() / "last" / name);
    CHECK(same);
  }
}

TEST_CASE("one, two and four processes follow one trajectory, and repeat it bit by bit") {
  if (!test::has_collectives()) return;
  const auto reverse = reverse_task();
  REQUIRE(reverse.train("1") == TrainOutcome::finished);
  for (const std::int64_t processes : {1, 2, 4}) {
    CAPTURE(processes);
    const auto name = "of " + std::to_string(processes);
    REQUIRE(all_are(train_together(reverse, processes, name), TrainOutcome::finished));
    check_same_place(reverse.run("1"), reverse.run(name));
    check_same_trajectory(reverse.run("1"), reverse.run(name));
  }
  REQUIRE(all_are(train_together(reverse, 2, "again"), TrainOutcome::finished));
  test::check_equal(reverse.run("of 2"), reverse.run("again"));
}

TEST_CASE("processes that draw subwords follow the trajectory of one") {
  if (!test::has_collectives()) return;
  auto reverse = reverse_task();
  reverse.experiment.data.bpe_dropout = 0.3;
  REQUIRE(reverse.train("1") == TrainOutcome::finished);
  REQUIRE(all_are(train_together(reverse, 2, "of 2"), TrainOutcome::finished));
  check_same_place(reverse.run("1"), reverse.run("of 2"));
  check_same_trajectory(reverse.run("1"), reverse.run("of 2"));
}

TEST_CASE("a run that goes on with as many processes equals one that was not stopped, bit by bit") {
  if (!test::has_collectives()) return;
  auto reverse = reverse_task();
  reverse.experiment.distributed.shard_moments = GENERATE(false, true);
  reverse.experiment.train.optimizer = GENERATE(OptimizerKind::adamw, OptimizerKind::muon);
  REQUIRE(all_are(train_together(reverse, 3, "whole"), TrainOutcome::finished));
  reverse.experiment.train.steps = 7;  // amid an epoch
  REQUIRE(all_are(train_together(reverse, 3, "stopped"), TrainOutcome::finished));
  reverse.experiment.train.steps = 20;
  REQUIRE(all_are(train_together(reverse, 3, "stopped", true), TrainOutcome::finished));
  check_same_bytes(reverse.run("whole"), reverse.run("stopped"));
  check_same_place(reverse.run("whole"), reverse.run("stopped"));
}

TEST_CASE("a checkpoint of processes that divide the moments among them is as any other") {
  if (!test::has_collectives()) return;
  auto reverse = reverse_task();
  reverse.experiment.train.steps = 6;
  reverse.experiment.train.optimizer = GENERATE(OptimizerKind::adamw, OptimizerKind::muon);
  REQUIRE(all_are(train_together(reverse, 3, "whole"), TrainOutcome::finished));
  reverse.experiment.distributed.shard_moments = true;
  REQUIRE(all_are(train_together(reverse, 3, "divided"), TrainOutcome::finished));
  check_same_bytes(reverse.run("whole"), reverse.run("divided"));
}

TEST_CASE("a run of one process goes on with four and then two, from where its data stood") {
  if (!test::has_collectives()) return;
  auto reverse = reverse_task();
  REQUIRE(reverse.train("whole") == TrainOutcome::finished);
  auto& steps = reverse.experiment.train.steps;
  steps = 6;
  REQUIRE(reverse.train("wandering") == TrainOutcome::finished);
  steps = 13;
  REQUIRE(all_are(train_together(reverse, 4, "wandering", true), TrainOutcome::finished));
  steps = 20;
  REQUIRE(all_are(train_together(reverse, 2, "wandering", true), TrainOutcome::finished));
  check_same_place(reverse.run("whole"), reverse.run("wandering"));
  const auto last = [&](const std::string& run) {
    return test::metrics(reverse.run(run)).back()["loss"].get<double>();
  };
  CHECK(last("wandering") == Approx(last("whole")).epsilon(1e-4));
}

TEST_CASE("an interruption of one process stops all after the same update, saved, and the run can go on") {
  if (!test::has_collectives()) return;
  auto reverse = reverse_task();
  reverse.experiment.train.metric_every = 9;
  std::atomic<bool> interrupted = false;
  const auto bleu = [](const models::AnyModel&) { return DevMetric{"BLEU", 1.0}; };
  const auto stop = [&](const models::AnyModel&) {
    interrupted = true;
    return DevMetric{"BLEU", 1.0};
  };
  reverse.experiment.train.steps = 100'000;  // it is the interruption that stops it
  REQUIRE(
      all_are(train_together(reverse, 2, "stopped", false, &interrupted, stop), TrainOutcome::interrupted));
  const auto at = state_of(reverse.run("stopped"))["step"].get<std::int64_t>();
  CHECK(at >= 9);
  reverse.experiment.train.steps = at + 3;
  REQUIRE(all_are(train_together(reverse, 2, "stopped", true, nullptr, bleu), TrainOutcome::finished));
  REQUIRE(all_are(train_together(reverse, 2, "whole", false, nullptr, bleu), TrainOutcome::finished));
  check_same_bytes(reverse.run("whole"), reverse.run("stopped"));
}

TEST_CASE("what rank 0 finds wrong with the run directory ends all, and nothing of it changes") {
  if (!test::has_collectives()) return;
  auto reverse = reverse_task();
  reverse.experiment.train.steps = 2;
  REQUIRE(reverse.train("run") == TrainOutcome::finished);
  const auto before = test::content_of(reverse.run("run").metrics());
  CHECK_THROWS_AS(train_together(reverse, 2, "run"), InputError);
  CHECK_THROWS_WITH(train_together(reverse, 2, "run"), ContainsSubstring("--resume"));
  CHECK(test::content_of(reverse.run("run").metrics()) == before);
}

}  // namespace
}  // namespace transformer::train
