// Updates that are graphs change a model as those that are computed operation by operation.
#include "transformer/train/update_graphs.h"

#include "tests/catch.h"
#include "tests/fake_device/tested_device.h"
#include "tests/train/random_data.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/runtime/device.h"
#include "transformer/tasks/next_tokens.h"
#include "transformer/train/optimizer_table.h"
#include "transformer/train/update.h"

using namespace transformer;

namespace {

struct Setting {
  torch::ScalarType precision = torch::kFloat;
  nn::Positions positions = nn::Positions::interleaved;
  nn::NormPlacement norm = nn::NormPlacement::post;
  train::TrainOptions train = {.label_smoothing = 0.1};
};

/// As NextTokens, with something in its loss that a graph cannot have.
class Unrecordable : public tasks::NextTokens {
 public:
  using NextTokens::NextTokens;

  ops::TokenLoss loss(const std::vector<torch::Tensor>& outputs, const std::any& batch) override {
    auto sums = NextTokens::loss(outputs, batch);
    ++calls;
    if (reads_back) sums.nll.item();
    if (calls == other_call) sums.smoothed = sums.smoothed * 3;
    return sums;
  }

  bool reads_back = false;
  int calls = 0, other_call = 0;
};

template <typename Objective = tasks::NextTokens>
class Training {
 public:
  Training(const data::Dataset& data, const Setting& setting, bool graphs)
      : model_(model_of(setting)), objective(model_, data, setting.train) {
    optimizer_ = train::make_optimizer(checkpoints::named_parameters(*model_), setting.train);
    auto settings = train::settings_of(setting.train, setting.precision, nullptr);
    settings.graphs = graphs;
    settings.seed = 5;
    updater = std::make_unique<train::Updater>(objective, *optimizer_, settings);
  }

  /// An update of some neighbouring pairs, in few shapes, at a rate that is never the same.
  train::UpdateResult update(std::int64_t step) {
    const auto begin = step * 7 % 40, count = 6 + step % 2 * 10;
    return updater->run(objective.examples(), {test::numbers(begin, begin + count)},
                        1e-2 / static_cast<double>(step), step);
  }
  std::vector<torch::Tensor> changed() const {
    std::vector<torch::Tensor> all;
    for (const auto& tensor : optimizer_->changing()) all.push_back(tensor.detach().cpu().to(torch::kDouble));
    return all;
  }

 private:
  static models::EncoderDecoder model_of(const Setting& setting) {
    torch::manual_seed(5);
    auto options = test::tiny_model();
    options.dropout = 0.2;
    options.positions = setting.positions;
    options.norm = setting.norm;
    models::EncoderDecoder model(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
    model->train();
    runtime::move_to(*model, test::tested_device());
    return model;
  }

  models::EncoderDecoder model_;
  std::unique_ptr<train::Optimizer> optimizer_;

 public:
  Objective objective;
  std::unique_ptr<train::Updater> updater;
};

template <typename A, typename B>
void check_equal_updates(A& with, B& without, std::int64_t updates) {
  for (std::int64_t step = 1; step <= updates; ++step) {
    INFO("update " << step);
    const auto found = with.update(step), expected = without.update(step);
    CHECK(found.loss == Approx(expected.loss).epsilon(test::near_graphs()));
    CHECK(found.nll == Approx(expected.nll).epsilon(test::near_graphs()));
    CHECK(found.gradient_norm == Approx(expected.gradient_norm).epsilon(test::near_graphs()));
    CHECK(found.skipped() == expected.skipped());
  }
  const auto found = with.changed(), expected = without.changed();
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK((found[i] - expected[i]).abs().max().template item<double>() <= 10 * test::near_graphs());
}

}  // namespace

TEST_CASE("updates that are graphs are those that are computed", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 60);
  Setting setting;
  setting.precision = GENERATE(torch::kFloat, torch::kBFloat16);
  setting.norm = GENERATE(nn::NormPlacement::post, nn::NormPlacement::pre);
  setting.positions = GENERATE(nn::Positions::interleaved, nn::Positions::rotary);
  setting.train.clip = GENERATE(0.0, 0.5);
  Training<> with(data, setting, true), without(data, setting, false);
  check_equal_updates(with, without, 24);
  CHECK(with.updater->graphs() > 1);
  CHECK(with.updater->graphs() < 12);
  CHECK(without.updater->graphs() == 0);
}

TEST_CASE("groups of parameters with rates of their own are in a graph", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 60);
  Setting setting;
  setting.train.groups = {{.pattern = "*norm*", .rate = 0.25, .weight_decay = 0.0},
                          {.pattern = "encoder*", .rate = 3, .weight_decay = 0.1}};
  Training<> with(data, setting, true), without(data, setting, false);
  check_equal_updates(with, without, 20);
  CHECK(with.updater->graphs() > 1);
}

TEST_CASE("an update that is a graph is one launch for the host, and reads one result") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 60);
  Training<> training(data, {}, true);
  for (int i = 0; i < 3; ++i) training.update(1);  // computed, recorded and compared, replayed
  REQUIRE(training.updater->graphs() == 1);
  test::fake_device::reset();
  training.update(1);
  const auto counts = test::fake_device::counts();
  INFO(counts.table());
  CHECK(counts.operations.at("graph") == 1);
  CHECK(counts.launches <= 4);   // with copies of the batch and of the numbers, and of working weights
  CHECK(counts.to_device == 2);  // the batch, and the numbers
  CHECK(counts.waits == 1);
}

TEST_CASE("models and optimisers that have no graphs are computed", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 60);
  Setting setting;
  if (GENERATE(true, false))
    setting.positions = nn::Positions::relative;  // pads sentences to the longest
  else
    setting.train.optimizer = train::OptimizerKind::sgd;  // takes its rate from the host
  Training<> with(data, setting, true), without(data, setting, false);
  check_equal_updates(with, without, 8);
  CHECK(with.updater->graphs() == 0);
}

TEST_CASE("an update that a device cannot record is computed", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 60);
  Training<Unrecordable> with(data, {}, true);
  Training<> without(data, {}, false);
  with.objective.reads_back = true;
  check_equal_updates(with, without, 8);
  CHECK(with.updater->graphs() == 0);
}

TEST_CASE("a graph of another update is found out, and what was computed stays", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 60);
  Training<Unrecordable> with(data, {}, true);
  Training<> without(data, {}, false);
  for (int i = 0; i < 2; ++i) {
    if (i == 1) with.objective.other_call = with.objective.calls + 1;  // the one that is recorded
    const auto found = with.update(1), expected = without.update(1);
    CHECK(found.loss == Approx(expected.loss).epsilon(test::near_graphs()));
  }
  check_equal_updates(with, without, 6);
  CHECK(with.updater->graphs() == 0);
}
