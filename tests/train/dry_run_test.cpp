#include "transformer/train/dry_run.h"

#include <unistd.h>

#include <algorithm>

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "transformer/base/error.h"
#include "transformer/data/batching.h"
#include "transformer/data/prepared.h"
#include "transformer/models/size.h"
#include "transformer/tasks/text_task.h"

namespace transformer::train {

namespace {

struct ReverseDry {
  test::TemporaryFolder folder;
  config::Experiment experiment;

  ReverseDry() {
    experiment.data = test::prepare_reverse_task(folder, 400, 20);
    experiment.model = test::tiny_model();
    experiment.train.steps = 50;
  }

  DryRun run(double seconds, const std::atomic<bool>* interrupted = nullptr) const {
    tasks::TextTask task(experiment, torch::kCPU);
    return dry_run(task, experiment, torch::kFloat, seconds, interrupted);
  }
};

}  // namespace

TEST_CASE("a dry run measures what a training is made of") {
  ReverseDry task;
  auto& experiment = task.experiment;
  experiment.train.source_tokens = experiment.train.target_tokens = 200;
  experiment.train.micro_tokens = 120;
  const auto run = task.run(0.2);

  const data::Prepared data(experiment.data);
  const models::VocabularySizes vocabulary{data.train.source_vocabulary(), data.train.target_vocabulary()};
  CHECK(run.parameters == models::count_parameters(experiment.model, vocabulary).total());
  CHECK(run.steps == experiment.train.steps);
  const auto pairs = static_cast<double>(data.train.size());
  CHECK(run.target_tokens * run.updates_per_epoch ==
        Approx(static_cast<double>(data.train.target_tokens()) + pairs));  // with their ends
  CHECK(run.target_tokens > 100);
  models::TokenCounts counts;
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < data.train.size(); ++i) {
    const auto source = std::ssize(data.train.source(i)) + 1, target = std::ssize(data.train.target(i)) + 1;
    counts.add_pair(source, target);
    longest = std::max({longest, source, target});
  }
  CHECK(run.flops * run.updates_per_epoch ==
        Approx(models::training_flops(experiment.model, vocabulary, counts)));
  CHECK(run.largest_rows * std::max(run.largest_source, run.largest_target) <=
        std::max<std::int64_t>(120, longest));
  CHECK(run.largest_rows * std::max(run.largest_source, run.largest_target) > 60);
  CHECK(run.micro_tokens == 120);
  CHECK(run.peak_memory > 1e6);
  CHECK(run.peak_memory <
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE)));
  CHECK(run.seconds > 0);
  CHECK(run.total_seconds() == Approx(run.seconds * static_cast<double>(run.steps)));
}

TEST_CASE("a dry run on the CPU takes 4096 tokens a micro-batch where their number is auto") {
  const ReverseDry task;
  CHECK_FALSE(task.experiment.train.micro_tokens);
  CHECK(task.run(0.01).micro_tokens == 4096);
}

TEST_CASE("a dry run is interrupted between updates") {
  const ReverseDry task;
  const std::atomic<bool> interrupted = true;
  CHECK_THROWS_AS(task.run(1, &interrupted), Interrupted);
}

}  // namespace transformer::train
