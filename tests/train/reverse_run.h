// Short trainings of the reverse task, and what they leave behind.
#pragma once

#include <ATen/Parallel.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "transformer/base/log.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/tasks/text_task.h"
#include "transformer/train/trainer.h"

namespace transformer::test {

/// The reverse task with options for short runs.
struct ReverseTask {
  TemporaryFolder folder;
  config::Experiment experiment;

  explicit ReverseTask(std::size_t pairs = 200, std::size_t held_out = 20) {
    start_logging("off");
    at::set_num_threads(1);
    experiment = tiny_experiment(prepare_reverse_task(folder, pairs, held_out));
    experiment.train = {.steps = 20,
                        .source_tokens = 400,  // four updates an epoch
                        .target_tokens = 400,
                        .micro_tokens = 150,
                        .warmup = 10,
                        .factor = 0.3,
                        .clip = 1.0,
                        .eval_every = 6,
                        .save_every = 4,
                        .log_every = 5,
                        .keep = 20};
  }

  checkpoints::RunDirectory run(const std::string& name) const { return {folder.path() / name}; }

  train::TrainerSettings settings(const std::string& name, bool resume = false) const {
    return {.run = run(name).path,
            .resume = resume,
            .quiet = true,
            .precision = torch::kFloat,
            .interrupted = nullptr};
  }

  /// Opens the data and makes the model again, as each process does.
  train::TrainOutcome train(const train::TrainerSettings& settings,
                            const tasks::TextTask::Measure& measure = {},
                            const torch::Device& device = torch::kCPU,
                            const tasks::TextTask::Show& show = {}) const {
    tasks::TextTask task(experiment, device, measure, show);
    return train::train(task, experiment, settings);
  }

  train::TrainOutcome train(const std::string& name, bool resume = false) const {
    return train(settings(name, resume));
  }
};

inline std::vector<nlohmann::json> metrics(const checkpoints::RunDirectory& run) {
  std::ifstream file(run.metrics());
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

inline std::vector<nlohmann::json> without_times(std::vector<nlohmann::json> lines) {
  for (auto& line : lines) {
    line.erase("seconds");
    line.erase("time");
    line.erase("tokens_per_second");
  }
  return lines;
}

/// Compares all that two runs have computed.
inline void check_equal(const checkpoints::RunDirectory& a, const checkpoints::RunDirectory& b) {
  for (const auto* name : {"model.safetensors", "optimizer.safetensors", "trainer.json"}) {
    INFO(name);
    const bool same =
        content_of(a.checkpoints() / "last" / name) == content_of(b.checkpoints() / "last" / name);
    CHECK(same);  // files of weights are not for messages
  }
  CHECK(a.linked_step("last") == b.linked_step("last"));
  CHECK(a.linked_step("best") == b.linked_step("best"));
  const auto steps = [](const checkpoints::RunDirectory& run) {
    std::vector<std::int64_t> list;
    for (const auto& checkpoint : run.list_checkpoints()) list.push_back(checkpoint.step);
    return list;
  };
  CHECK(steps(a) == steps(b));
  CHECK(without_times(metrics(a)) == without_times(metrics(b)));
}

}  // namespace transformer::test
