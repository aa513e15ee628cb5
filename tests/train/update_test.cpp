#include "transformer/train/update.h"

#include <cmath>

#include "tests/train/random_data.h"
#include "transformer/store/model_directory.h"
#include "transformer/train/evaluation.h"

namespace transformer::train {
namespace {

using Update = data::BatchPlan::Update;

/// A model after one update, with the update's gradients still in place.
struct Updated {
  models::EncoderDecoder model = test::exact_model();
  UpdateResult result;

  Updated(const data::Dataset& data, const Update& update, double clip = 0.0) {
    Adam adam(store::named_parameters(model), TrainOptions{});
    result =
        run_update(model, adam, data, update, {.label_smoothing = 0.1, .clip = clip, .learning_rate = 0.01});
  }

  double gradient_norm() const {
    double square = 0;
    for (const auto& value : model->parameters()) square += value.grad().square().sum().item<double>();
    return std::sqrt(square);
  }
};

TEST_CASE("an update does not depend on how it is cut into micro-batches") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 12);
  const Updated whole(data, {test::numbers(0, 12)});
  const Update thirds = {test::numbers(0, 2), test::numbers(2, 9), test::numbers(9, 12)};
  Update singles;
  for (std::int64_t i = 0; i < 12; ++i) singles.push_back({11 - i});
  for (const auto& cut : {thirds, singles}) {
    const Updated other(data, cut);
    CHECK(other.result.loss == Approx(whole.result.loss).epsilon(1e-11));
    CHECK(other.result.gradient_norm == Approx(whole.result.gradient_norm).epsilon(1e-11));
    for (const auto& parameter : whole.model->named_parameters()) {
      INFO(parameter.key());
      const auto same = other.model->named_parameters()[parameter.key()];
      const double scale = parameter.value().grad().abs().max().item<double>();
      CHECK(test::difference(parameter.value().grad(), same.grad()) <= 1e-9 * scale + 1e-15);
      CHECK(test::difference(parameter.value(), same) < 1e-6);
    }
  }
}

TEST_CASE("an update reports losses from before it, and real tokens") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  auto before = test::exact_model();
  const auto expected = evaluate_loss(before, data, 1000, 0.1, torch::kFloat);
  const Updated updated(data, {test::numbers(0, 4), test::numbers(4, 6)});
  const auto& result = updated.result;
  CHECK(result.target_tokens == data.target_tokens() + 6);
  CHECK(result.source_tokens == data.source_tokens() + 6);
  CHECK(result.counts.source == Approx(result.source_tokens));
  CHECK(result.counts.target == Approx(result.target_tokens));
  const auto tokens = static_cast<double>(result.target_tokens);
  CHECK(result.loss / tokens == Approx(expected.loss).epsilon(1e-11));
  CHECK(result.nll / tokens == Approx(expected.nll).epsilon(1e-11));
  CHECK(result.gradient_norm == Approx(updated.gradient_norm()).epsilon(1e-11));
}

TEST_CASE("clipping limits the norm of the whole gradient") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  const Update update = {test::numbers(0, 6)};
  const Updated free(data, update);
  const double limit = free.result.gradient_norm / 3;
  const Updated clipped(data, update, limit);
  CHECK(clipped.result.gradient_norm == Approx(free.result.gradient_norm).epsilon(1e-11));
  CHECK(clipped.gradient_norm() == Approx(limit).epsilon(1e-11));
}

TEST_CASE("an update's gradients do not add to those of the one before") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  const Update update = {test::numbers(0, 6)};
  auto model = test::exact_model();
  Adam adam(store::named_parameters(model), TrainOptions{});
  const UpdateSettings still{.label_smoothing = 0.1, .learning_rate = 0.0};
  const auto first = run_update(model, adam, data, update, still);
  const auto second = run_update(model, adam, data, update, still);
  CHECK(first.gradient_norm == second.gradient_norm);
}

TEST_CASE("repeated updates lower the loss, also in bf16") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  torch::manual_seed(1);
  models::EncoderDecoder model(test::tiny_model(),
                               models::VocabularySizes{test::kVocabulary, test::kVocabulary});
  Adam adam(store::named_parameters(model), TrainOptions{});
  const UpdateSettings settings{
      .precision = GENERATE(torch::kFloat, torch::kBFloat16), .label_smoothing = 0.1, .learning_rate = 0.003};
  const double first = run_update(model, adam, data, {test::numbers(0, 6)}, settings).loss;
  double last = first;
  for (int i = 0; i < 30; ++i) last = run_update(model, adam, data, {test::numbers(0, 6)}, settings).loss;
  CHECK(last < 0.7 * first);
  for (const auto& value : model->parameters()) REQUIRE(value.scalar_type() == torch::kFloat);
}

}  // namespace
}  // namespace transformer::train
