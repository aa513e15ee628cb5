// Training in fp16: the loss scale, and what becomes of updates that overflow.
#include <cmath>

#include "tests/catch.h"
#include "tests/fake_device/tested_device.h"
#include "tests/fake_device/update.h"
#include "transformer/train/optimizers/adam.h"

using namespace transformer;

namespace {

/// A model without dropout, on the device, and updates of all of its few sentences.
class Training {
 public:
  Training(const data::Dataset& data, const train::UpdateSettings& settings)
      : model((torch::manual_seed(5), options()), test::kFewWords),
        objective_((prepare(), model), data, {.label_smoothing = 0.1}),
        adam_(checkpoints::named_parameters(*model), train::TrainOptions{}),
        updater(objective_, adam_, settings) {}

  train::UpdateResult update(double learning_rate = 1e-3) {
    return updater.run(objective_.examples(), {{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}, learning_rate,
                       ++step_);
  }

  /// Weights, moments, and how many updates Adam has made.
  std::vector<torch::Tensor> state() const {
    std::vector<torch::Tensor> all;
    for (const auto& value : model->parameters()) all.push_back(value.detach().cpu().clone());
    for (const auto& [name, moment] : adam_.state()) all.push_back(moment.cpu().clone());
    return all;
  }

  /// Those of the last update, as the optimiser used them: one vector.
  torch::Tensor gradient() const {
    std::vector<torch::Tensor> all;
    for (const auto& value : model->parameters())
      all.push_back(value.grad().cpu().to(torch::kDouble).flatten());
    return torch::cat(all);
  }

  models::EncoderDecoder model;

 private:
  static models::ModelOptions options() {
    auto options = test::base_depth();
    options.encoder_layers = options.decoder_layers = 2;
    options.dropout = 0;
    options.tie = nn::Tie::none;
    return options;
  }
  void prepare() {
    runtime::move_to(*model, test::tested_device());
    model->train();
  }

  tasks::NextTokens objective_;
  train::Adam adam_;
  std::int64_t step_ = 0;

 public:
  train::Updater updater;
};

bool equal(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!torch::equal(a[i], b[i])) return false;
  return true;
}

constexpr double kFar = 0x1p60;  ///< a scale that no gradient stands

}  // namespace

TEST_CASE("the loss scale keeps small gradients, and shows in no result", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::few_sentences(folder);
  const double clip = GENERATE(0.0, 0.1);
  Training exact(data, {.clip = clip});
  const auto expected = exact.update();
  CHECK_FALSE(exact.updater.loss_scale());
  // The first as if the batch had 16384 times the tokens and there were no scale.
  for (const double scale : {0x1p-14, 1.0, 0x1p6, 0x1p12}) {
    INFO(scale);
    Training training(data, {.precision = torch::kHalf, .clip = clip, .loss_scale = {.value = scale}});
    const auto result = training.update();
    REQUIRE(result.stepped());
    CHECK(training.updater.loss_scale() == train::LossScale{.value = scale, .good_updates = 1});
    CHECK(result.loss == Approx(expected.loss).epsilon(1e-3));
    CHECK(result.nll == Approx(expected.nll).epsilon(1e-3));
    const auto gradient = exact.gradient();
    const auto error = ((training.gradient() - gradient).norm() / gradient.norm()).item<double>();
    if (scale < 1) {
      CHECK(error > 0.1);
      continue;
    }
    CHECK(error < 0.05);
    CHECK(result.gradient_norm == Approx(expected.gradient_norm).epsilon(5e-3));
  }
}

TEST_CASE("a training whose loss scale is too large finds one, and loses nothing but updates", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::few_sentences(folder);
  Training training(data, {.precision = torch::kHalf, .loss_scale = {.value = kFar, .good_updates = 7}});
  const auto before = training.state();
  double scale = kFar;
  std::int64_t lost = 0;
  train::UpdateResult result;
  while ((result = training.update()).overflowed) {
    REQUIRE(++lost < 60);
    CHECK_FALSE(result.skipped());
    CHECK_FALSE(result.stepped());
    CHECK(std::isfinite(result.loss));
    CHECK_FALSE(std::isfinite(result.gradient_norm));
    CHECK(training.updater.loss_scale() == train::LossScale{.value = scale /= 2, .overflows = lost});
    CHECK(equal(training.state(), before));
  }
  CHECK(lost > 10);
  CHECK(result.stepped());
  CHECK_FALSE(equal(training.state(), before));
  CHECK(training.updater.loss_scale() ==
        train::LossScale{.value = scale, .good_updates = 1, .overflows = lost});
  // The first step is Adam's first: had the lost updates counted, its bias correction would be another.
  Training other(data, {.precision = torch::kHalf, .loss_scale = {.value = scale}});
  REQUIRE(other.update().stepped());
  CHECK(equal(training.state(), other.state()));
  for (int i = 0; i < 30; ++i) other.update(3e-3);
  CHECK(other.update().loss < 0.7 * result.loss);
}

TEST_CASE("a gradient that is infinite under any loss scale is an update's own fault in the end",
          "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::few_sentences(folder);
  Training training(data, {.precision = torch::kHalf, .loss_scale = {.value = 4}});
  training.model->parameters()[0].register_hook(
      [](const torch::Tensor& gradient) { return gradient * INFINITY; });
  CHECK(training.update().overflowed);
  CHECK(training.update().overflowed);
  const auto result = training.update();
  CHECK_FALSE(result.overflowed);
  CHECK(result.skipped());
  CHECK(result.suspects.size() == 12);
  CHECK(training.updater.loss_scale() == train::LossScale{.value = 1, .overflows = 2});
}

TEST_CASE("a loss that is NaN is no matter of the loss scale", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::few_sentences(folder);
  Training training(data, {.precision = torch::kHalf, .loss_scale = {.value = 64, .good_updates = 9}});
  {
    const torch::NoGradGuard no_gradients;
    training.model->source_embedding->weight[5].fill_(NAN);  // of the first sentence alone
  }
  const auto result = training.update();
  CHECK(result.skipped());
  CHECK_FALSE(result.overflowed);
  CHECK(result.suspects == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(training.updater.loss_scale() == train::LossScale{.value = 64});
}
