// How much an update asks of a device: operations, copies, and how often the host waits for it. The numbers
// follow from the number of layers, not from their sizes.
#include "tests/catch.h"
#include "tests/data/write_dataset.h"
#include "tests/fake_device/fake_device.h"
#include "tests/temporary_folder.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/runtime/device.h"
#include "transformer/train/evaluation.h"
#include "transformer/train/translation_objective.h"
#include "transformer/train/update.h"

using namespace transformer;
using test::fake_device::Counts;

namespace {

constexpr std::int64_t kWords = 64;

data::Dataset sentences(const test::TemporaryFolder& folder) {
  data::Sentences source, target;
  for (int i = 0; i < 12; ++i) {
    source.add(std::vector<std::int32_t>(static_cast<std::size_t>(3 + i % 4), 5 + i));
    target.add(std::vector<std::int32_t>(static_cast<std::size_t>(2 + i % 5), 7 + i));
  }
  const auto file = folder.path() / "data.bin";
  test::write_dataset(file, source, target, kWords, kWords);
  return data::Dataset(file);
}

/// The depth of the paper's base model; all else is small.
models::EncoderDecoder base_depth() {
  models::ModelOptions options;
  options.d_model = 32;
  options.d_ff = 64;
  options.heads = 2;
  options.d_k = options.d_v = 16;
  models::EncoderDecoder model(options, models::VocabularySizes{kWords, kWords});
  runtime::move_to(*model, test::fake_device::device());
  model->train();
  return model;
}

/// What an update of so many micro-batches of four sentences costs, once all is warm.
Counts update_of(train::Updater& updater, const train::TranslationObjective& objective,
                 std::int64_t micro_batches) {
  train::Examples::Update update;
  for (std::int64_t i = 0; i < micro_batches; ++i) update.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
  updater.run(objective.pairs(), update, 1e-3, 1);
  test::fake_device::reset();
  const auto result = updater.run(objective.pairs(), update, 1e-3, 2);
  CHECK_FALSE(result.skipped());
  return test::fake_device::counts();
}

}  // namespace

TEST_CASE("an update at base's depth keeps to its budget") {
  const auto precision = GENERATE(torch::kBFloat16, torch::kFloat);
  const test::TemporaryFolder folder;
  const auto data = sentences(folder);
  auto model = base_depth();
  train::TranslationObjective objective(model, data, {.label_smoothing = 0.1});
  train::Adam adam(checkpoints::named_parameters(*model), {});
  train::Updater updater(objective, adam, {.precision = precision, .clip = 1.0});
  const auto one = update_of(updater, objective, 1), two = update_of(updater, objective, 2);
  INFO("an update of one micro-batch\n" << one.table() << "\none of two\n" << two.table());
  CHECK(one.launches <= 650);
  CHECK(two.launches - one.launches <= 800);  // its gradients are added to the first one's
  // A micro-batch: one copy to the device, nothing back. The host waits once, for the losses, behind the
  // update's last operation.
  CHECK(one.to_device == 1);
  CHECK(two.to_device == 2);
  for (const auto& counts : {one, two}) {
    CHECK(counts.to_host == 1);
    CHECK(counts.reads == 0);
    CHECK(counts.waits == 1);
  }
}

TEST_CASE("an evaluation at base's depth waits once for all its batches") {
  const test::TemporaryFolder folder;
  const auto data = sentences(folder);
  auto model = base_depth();
  train::TranslationObjective objective(model, data, {.micro_tokens = 30, .label_smoothing = 0.1});
  train::evaluate_loss(objective, torch::kBFloat16);  // makes the table of positions
  test::fake_device::reset();
  train::evaluate_loss(objective, torch::kBFloat16);
  const auto counts = test::fake_device::counts();
  INFO(counts.table());
  CHECK(counts.to_device == objective.evaluation().plan.size());
  CHECK(counts.to_device > 2);
  CHECK(counts.waits == 1);
}
