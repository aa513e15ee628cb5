#include "transformer/train/epoch_steps.h"

#include "tests/train/random_data.h"
#include "tests/train/training_parts.h"
#include "transformer/base/error.h"
#include "transformer/train/trainer.h"

namespace transformer::train {
namespace {

TEST_CASE("epochs become the updates that they are trained in") {
  const test::TemporaryFolder folder;
  auto options = test::prepare_reverse_task(folder, 40, 4);
  auto experiment = test::tiny_experiment(options, 1);
  const auto pairs = data::Dataset(data::PreparedPaths{options.prepared}.train()).size();
  auto& train = experiment.train;
  CHECK(with_steps(experiment) == experiment);

  train.epochs = 5;
  train.sentences = 7;
  train.source_tokens = train.target_tokens = 100000;
  const auto by_sentences = with_steps(experiment);
  CHECK(by_sentences.train.steps == 5 * ((pairs + 6) / 7));
  CHECK(by_sentences.train.epochs == 0);

  train.sentences = 0;
  train.source_tokens = train.target_tokens = 60;
  tasks::TextTask task(experiment, torch::kCPU);
  std::int64_t updates = 0;
  for (std::int64_t epoch = 0; epoch < 5; ++epoch)
    updates += task.training().epoch(static_cast<std::uint64_t>(experiment.seed), epoch).plan.size();
  CHECK(updates > 5);
  CHECK(with_steps(experiment).train.steps == updates);
  CHECK_THROWS_AS(train::train(task, experiment, {}), std::invalid_argument);
}

TEST_CASE("epochs of a model that takes updates whole are counted as they are planned") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 300);
  const TrainOptions train{.source_tokens = 90, .target_tokens = 90, .bucket_tokens = 20};
  auto options = test::tiny_model();
  options.norm_type = nn::NormKind::batch;
  models::EncoderDecoder model(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
  const tasks::NextTokens objective(model, data, train);
  const auto updates = count_updates(data, 0, planned_limits(limits_of(train), options.norm_type), 1, 1);
  CHECK(updates == objective.epoch(1, 0).plan.size());
  CHECK(updates != count_updates(data, 0, limits_of(train), 1, 1));  // as another model's are
}

TEST_CASE("what contradicts the number of steps, and data that are not there, are refused") {
  const test::TemporaryFolder folder;
  auto experiment = test::tiny_experiment(test::prepare_reverse_task(folder, 40, 4), 1);
  experiment.train.epochs = 1;
  experiment.train.schedule = Schedule::linear;
  experiment.train.warmup = 1000000;
  CHECK_THROWS_WITH(with_steps(experiment),
                    ContainsSubstring("train.warmup: expected less than train.steps"));
  experiment.data.prepared = (folder.path() / "nothing").string();
  CHECK_THROWS_WITH(with_steps(experiment), ContainsSubstring("run transformer-prepare first"));
}

}  // namespace
}  // namespace transformer::train
