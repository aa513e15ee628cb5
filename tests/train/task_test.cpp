// That the trainer, its checkpoints, evaluations, averages and dry runs need of a task no more than task.h
// says.
#include "transformer/train/task.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/train/bigram_task.h"
#include "transformer/base/log.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/runtime/device.h"
#include "transformer/train/averaging.h"
#include "transformer/train/dry_run.h"
#include "transformer/train/evaluation.h"
#include "transformer/train/optimizers/adam.h"
#include "transformer/train/trainer.h"
#include "transformer/train/update.h"

namespace transformer::train {
namespace {

using test::BigramObjective;
using test::BigramTask;
using test::content_of;

struct BigramRuns {
  test::TemporaryFolder folder;
  config::Experiment experiment;

  BigramRuns() {
    start_logging("off");
    torch::set_num_threads(1);
    experiment.train = {.steps = 100,  // thirteen updates an epoch
                        .schedule = Schedule::constant,
                        .warmup = 0,
                        .factor = 0.1,
                        .eval_every = 25,
                        .save_every = 20,
                        .log_every = 10,
                        .keep = 20,
                        .metric_every = 10,
                        .best = BestBy::metric};
  }

  checkpoints::RunDirectory run(const std::string& name) const { return {folder.path() / name}; }

  TrainOutcome train(BigramTask& task, const std::string& name, bool resume = false,
                     const std::atomic<bool>* interrupted = nullptr) const {
    return train::train(task, experiment,
                        {.run = run(name).path, .resume = resume, .quiet = true, .interrupted = interrupted});
  }
};

/// The lines of metrics.jsonl without what no two runs share.
std::vector<nlohmann::json> measured(const checkpoints::RunDirectory& run) {
  std::ifstream file(run.metrics());
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(nlohmann::json::parse(line));
    lines.back().erase("seconds");
    lines.back().erase("time");
    lines.back().erase("tokens_per_second");
  }
  return lines;
}

TEST_CASE("a task that is no translation is trained, evaluated and saved by the same trainer") {
  const BigramRuns runs;
  BigramTask task;
  CHECK(evaluate_loss(task.dev(), torch::kFloat).perplexity == Approx(test::kSymbols));
  REQUIRE(runs.train(task, "run") == TrainOutcome::finished);
  const auto run = runs.run("run");
  CHECK(evaluate_loss(task.dev(), torch::kFloat).perplexity == Approx(1.52).epsilon(0.1));  // e^(the entropy)

  double best = 0;
  std::int64_t best_step = 0, metrics = 0;
  for (const auto& line : measured(run)) {
    CHECK(line["flops"].get<double>() > 0);
    if (!line.contains("accuracy")) continue;
    ++metrics;
    CHECK(line["split"] == "dev");
    if (line["accuracy"].get<double>() <= best) continue;
    best = line["accuracy"];
    best_step = line["step"];
  }
  CHECK(metrics == 10);
  CHECK(best > 0.85);
  CHECK(run.linked_step("best") == best_step);
  CHECK(measured(run).back()["epoch"] == 7);
  CHECK(content_of(run.log()).find("100 sequences") != std::string::npos);
  CHECK(content_of(run.log()).find(" Accuracy 0.") != std::string::npos);

  for (const auto& place : {run.path, run.checkpoint(100)})
    CHECK(content_of(place / "alphabet.txt") == "abcdef");
  const auto weights = checkpoints::load_safetensors(run.checkpoint(100) / checkpoints::kWeightsFile);
  REQUIRE(weights.size() == 1);
  CHECK(torch::equal(weights.at("table"), task.module().parameters()[0]));
}

TEST_CASE("such a training, stopped and resumed, equals one that was left alone, bit for bit") {
  const BigramRuns runs;
  BigramTask whole;
  REQUIRE(runs.train(whole, "whole") == TrainOutcome::finished);
  std::atomic<bool> interrupted = false;
  int stops = 0;
  auto outcome = TrainOutcome::interrupted;
  while (outcome == TrainOutcome::interrupted) {
    BigramTask task;  // as a new process makes it
    interrupted = false;
    int evaluations = 0;
    task.before_metric = [&] {
      // Now amid an evaluation, now before the next update, amid an epoch.
      if (stops % 2 == 0 && ++evaluations == 2) throw Interrupted();
      interrupted = stops % 2 == 1;
    };
    outcome = runs.train(task, "stopped", /*resume=*/true, &interrupted);
    stops += outcome == TrainOutcome::interrupted;
  }
  CHECK(stops > 4);
  const auto a = runs.run("whole"), b = runs.run("stopped");
  for (const auto* name : {"model.safetensors", "optimizer.safetensors", "trainer.json"})
    CHECK(content_of(a.checkpoints() / "last" / name) == content_of(b.checkpoints() / "last" / name));
  CHECK(a.linked_step("best") == b.linked_step("best"));
  CHECK(measured(a) == measured(b));
}

TEST_CASE("a training in TF32 judges its dev set in fp32, as every other training does") {
  BigramRuns runs;
  runs.experiment.train.steps = 25;
  runtime::choose_precision("tf32", torch::Device(torch::kCUDA, 0));
  const auto counted = [](std::int64_t& in_tf32, std::int64_t& in_fp32) {
    return [&] { ++(runtime::name_of_precision(torch::kFloat) == "tf32" ? in_tf32 : in_fp32); };
  };
  std::int64_t trained_in_tf32 = 0, trained_in_fp32 = 0, judged_in_tf32 = 0, judged_in_fp32 = 0;
  BigramTask task;
  task.training().before_outputs = counted(trained_in_tf32, trained_in_fp32);
  task.dev().before_outputs = counted(judged_in_tf32, judged_in_fp32);
  runs.experiment.train.metric_every = 0;
  runs.experiment.train.best = BestBy::loss;
  const auto outcome = runs.train(task, "run");
  CHECK(runtime::name_of_precision(torch::kFloat) == "tf32");
  runtime::choose_precision("fp32", torch::kCPU);
  CHECK(outcome == TrainOutcome::finished);
  CHECK(trained_in_tf32 > 0);
  CHECK(trained_in_fp32 == 0);
  CHECK(judged_in_tf32 == 0);
  CHECK(judged_in_fp32 > 0);
}

TEST_CASE("a task's own files decide whether a run goes on, and are not written over another's") {
  const BigramRuns runs;
  BigramTask task;
  REQUIRE(runs.train(task, "run") == TrainOutcome::finished);
  BigramTask other("ghijkl");
  CHECK_THROWS_WITH(runs.train(other, "run", /*resume=*/true), ContainsSubstring("another alphabet"));
  std::filesystem::create_directory(runs.run("foreign").path);
  runs.folder.write("foreign/alphabet.txt", "mine");
  CHECK_THROWS_WITH(runs.train(task, "foreign"), ContainsSubstring("alphabet.txt: expected no such file"));
  CHECK(content_of(runs.run("foreign").path / "alphabet.txt") == "mine");
}

TEST_CASE("such a task's checkpoints have a mean") {
  const BigramRuns runs;
  BigramTask task;
  REQUIRE(runs.train(task, "run") == TrainOutcome::finished);
  const auto table = [&](std::int64_t step) {
    return checkpoints::load_safetensors(runs.run("run").checkpoint(step) / checkpoints::kWeightsFile)
        .at("table");
  };
  const auto mean = average_weights({runs.run("run").checkpoint(80), runs.run("run").checkpoint(100)});
  REQUIRE(mean.size() == 1);
  CHECK(torch::allclose(mean[0].second, (table(80) + table(100)) / 2));
}

TEST_CASE("a dry run of such a task counts one side") {
  const BigramRuns runs;
  BigramTask task;
  const auto run = dry_run(task, runs.experiment, torch::kFloat, 0.01);
  CHECK(run.parameters == (test::kSymbols + 1) * test::kSymbols);
  CHECK(run.updates_per_epoch == 13);
  CHECK(run.source_tokens == 0);
  CHECK(run.largest_rows == 4);
  CHECK(run.largest_source == 0);
  CHECK(run.largest_target > 6);
  double tokens = 0;
  for (std::int64_t i = 0; i < task.training().size(); ++i)
    tokens += static_cast<double>(task.training().evaluation().examples->size_of({i}).target_tokens);
  CHECK(run.target_tokens == Approx(tokens / 13));
  CHECK(run.flops == Approx(6 * test::kSymbols * tokens / 13));
}

TEST_CASE("where memory is short, such a task's micro-batches are cut, and one that cannot be is described") {
  start_logging("off");
  const auto updated = [](std::size_t most, std::int64_t& parts) {
    const test::Bigram model;
    BigramObjective objective(model, test::random_sequences(8, 3));
    objective.fails = [most](const auto& examples) { return examples.size() > most; };
    Adam adam({{"table", model->table}}, {});
    Updater updater(objective, adam, {});
    updater.run(*objective.evaluation().examples, {{0, 1, 2, 3}, {4, 5, 6, 7}}, 0.1, 1);
    parts = updater.parts();
    return model->table;
  };
  std::int64_t whole_parts = 0, cut_parts = 0;
  const auto whole = updated(4, whole_parts), cut = updated(1, cut_parts);
  CHECK(whole_parts == 1);
  CHECK(cut_parts == 4);
  CHECK(torch::allclose(whole, cut));

  BigramObjective objective(test::Bigram(), {{1, 2, 3}});
  objective.fails = [](const auto&) { return true; };
  Adam adam({{"table", objective.module().parameters()[0]}}, {});
  Updater updater(objective, adam, {});
  CHECK_THROWS_WITH(updater.run(*objective.evaluation().examples, {{0}}, 0.1, 1),
                    ContainsSubstring("a batch of 1 × 2 tokens:"));
}

}  // namespace
}  // namespace transformer::train
