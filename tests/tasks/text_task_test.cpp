#include "transformer/tasks/text_task.h"

#include "tests/catch.h"
#include "tests/data/write_dataset.h"
#include "tests/train/training_parts.h"
#include "transformer/base/error.h"
#include "transformer/data/dataset_writer.h"

namespace transformer::tasks {
namespace {

TEST_CASE("a model's weights depend on the seed alone") {
  auto experiment = test::tiny_experiment({}, 5);
  const auto first = make_model(experiment, {25, 25}, torch::kCPU);
  torch::rand({3});
  CHECK(test::equal_weights(first, make_model(experiment, {25, 25}, torch::kCPU)));
  experiment.seed = 6;
  CHECK_FALSE(test::equal_weights(first, make_model(experiment, {25, 25}, torch::kCPU)));
}

TEST_CASE("a model that no memory can hold is refused") {
  auto experiment = test::tiny_experiment({});
  experiment.model.d_model = experiment.model.d_ff = 1000000;
  CHECK_THROWS_AS(make_model(experiment, {25, 25}, torch::kCPU), InputError);
  CHECK_THROWS_WITH(make_model(experiment, {25, 25}, torch::kCPU), ContainsSubstring("GB of memory"));
}

TEST_CASE("sentences that learned positions cannot reach are named before the training") {
  const test::TemporaryFolder folder;
  const data::Prepared data(test::prepare_reverse_task(folder, 40, 4));
  auto model = test::tiny_model();
  CHECK_NOTHROW(check_lengths(data.dev, 0, model, data.paths.dev()));
  model.max_positions = 3;
  CHECK_NOTHROW(check_lengths(data.dev, 0, model, data.paths.dev()));  // sinusoids reach anywhere
  model.positions = nn::Positions::learned;
  CHECK_THROWS_WITH(check_lengths(data.dev, 0, model, data.paths.dev()),
                    ContainsSubstring("dev.bin: sentence 0 has") && ContainsSubstring("max_positions, 3"));
}

TEST_CASE("a dev set without a token is refused before the training") {
  const test::TemporaryFolder folder;
  const data::Prepared data(test::prepare_reverse_task(folder, 40, 4));
  CHECK_NOTHROW(check_text(data.dev, 0, "dev.bin"));
  data::Sentences blank, text;
  for (int i = 0; i < 3; ++i) {
    blank.add({});
    text.add(std::vector<std::int32_t>{5});
  }
  const auto file = folder.path() / "blank.bin";
  test::write_dataset(file, text, blank, 25, 25);
  CHECK_THROWS_WITH(
      check_text(data::Dataset(file), 0, file),
      ContainsSubstring("blank.bin: expected text to be judged by, found 3 pairs with 3 source and 0"));
}

TEST_CASE("a translation task is a model with its two data sets, and its tokenizers") {
  const test::TemporaryFolder folder;
  const auto options = test::prepare_reverse_task(folder, 40, 4);
  const data::Prepared data(options);
  TextTask task(test::tiny_experiment(options), torch::kCPU);
  CHECK(task.describe_data() == "40 training pairs");
  CHECK(task.d_model() == test::tiny_model().d_model);
  CHECK(&task.module() == &task.dev().module());
  CHECK(task.training().data_checksum() == data.train.checksum());
  CHECK(task.dev().data_checksum() == data.dev.checksum());
  CHECK(task.dev().size() == 4);
  const auto files = folder.path() / "files";
  std::filesystem::create_directory(files);
  task.write_files(files);
  for (const auto& entry : std::filesystem::directory_iterator(files)) {
    const auto names = task.file_names();
    CHECK(std::ranges::count(names, entry.path().filename().string()) == 1);
  }
  CHECK(test::content_of(files / "tokenizer.model") == test::content_of(data.source_tokenizer.path()));
  CHECK_NOTHROW(task.check_files(files));
}

TEST_CASE("a translation task's dev metric is what is measured for it, where it is") {
  const test::TemporaryFolder folder;
  const auto experiment = test::tiny_experiment(test::prepare_reverse_task(folder, 40, 4));
  CHECK_FALSE(TextTask(experiment, torch::kCPU).dev_metric());
  const void* seen = nullptr;
  TextTask task(experiment, torch::kCPU, [&](const models::AnyModel& model) {
    seen = model.get();
    return train::DevMetric{"BLEU", 12.5};
  });
  const auto metric = task.dev_metric();
  REQUIRE(metric);
  CHECK(metric->name == "BLEU");
  CHECK(metric->value == 12.5);
  CHECK(seen == &task.module());
}

}  // namespace
}  // namespace transformer::tasks
