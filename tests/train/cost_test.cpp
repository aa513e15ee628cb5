#include "transformer/train/cost.h"

#include "tests/catch.h"
#include "tests/data/write_dataset.h"
#include "tests/train/training_parts.h"
#include "transformer/data/dataset_writer.h"

namespace transformer::train {
namespace {

TEST_CASE("what a configuration tells of a training agrees with what its task measures") {
  const test::TemporaryFolder folder;
  test::Training training(test::prepare_reverse_task(folder, 40, 4));
  auto& experiment = training.experiment;
  constexpr std::int64_t kPairs = 50, kLength = 8;  // with the end
  data::Sentences sentences;
  for (int i = 0; i < kPairs; ++i) sentences.add(std::vector<std::int32_t>(kLength - 1, 5));
  const auto sizes = training.model->vocabulary();
  const auto file = folder.path() / "even.bin";
  test::write_dataset(file, sentences, sentences, sizes.source, sizes.target);
  const data::Dataset data(file);
  const tasks::NextTokens objective(training.model, data, experiment.train);
  Examples::MicroBatch all;
  for (std::int64_t i = 0; i < kPairs; ++i) all.push_back(i);

  experiment.train.source_tokens = kPairs * kLength;  // the lower of the two limits closes an update
  experiment.train.target_tokens = 2 * kPairs * kLength;
  const auto cost = reckon_cost(experiment, sizes, kLength);
  CHECK(cost.parameters == count_parameters(training.task.module()));
  CHECK(cost.parameters == count_parameters(experiment, sizes));
  CHECK(cost.source_tokens == static_cast<double>(objective.examples().size_of(all).source_tokens));
  CHECK(cost.target_tokens == static_cast<double>(objective.examples().size_of(all).target_tokens));
  CHECK(cost.flops == Approx(objective.examples().flops({all})).epsilon(1e-12));
  experiment.train.sentences = 10;  // a fifth of them
  CHECK(reckon_cost(experiment, sizes, kLength).target_tokens == Approx(cost.target_tokens / 5));
  CHECK(tokens_of_update(experiment.train, 2 * kPairs * kLength) == kPairs * kLength);
}

}  // namespace
}  // namespace transformer::train
