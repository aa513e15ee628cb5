#include "transformer/train/evaluation.h"

#include <cmath>

#include "tests/train/random_data.h"
#include "transformer/base/error.h"
#include "transformer/train/translation_objective.h"

namespace transformer::train {
namespace {

/// On a data set, in batches of so many tokens.
DataLoss evaluate(const models::EncoderDecoder& model, const data::Dataset& data, std::int64_t micro_tokens,
                  torch::ScalarType precision, const std::atomic<bool>* interrupted = nullptr) {
  TranslationObjective objective(model, data, {.micro_tokens = micro_tokens, .label_smoothing = 0.1});
  return evaluate_loss(objective, precision, interrupted);
}

TEST_CASE("a model without knowledge has the vocabulary's size as its perplexity") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 20);
  auto model = test::exact_model();
  for (auto& parameter : model->parameters()) parameter.data().zero_();
  const auto loss = evaluate(model, data, 64, torch::kFloat);
  CHECK(loss.perplexity == Approx(test::kVocabulary).epsilon(1e-12));
  CHECK(loss.nll == Approx(std::log(test::kVocabulary)).epsilon(1e-12));
  CHECK(loss.loss == Approx(std::log(test::kVocabulary)).epsilon(1e-12));  // all classes are alike
  CHECK(loss.tokens == data.target_tokens() + data.size());
}

TEST_CASE("an evaluation does not depend on how it is cut") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 30);
  auto model = test::exact_model();
  const auto whole = evaluate(model, data, 100000, torch::kFloat);
  CHECK(whole.perplexity == Approx(std::exp(whole.nll)));
  CHECK(whole.loss != whole.nll);
  for (const std::int64_t micro_tokens : {1, 17, 80}) {
    const auto cut = evaluate(model, data, micro_tokens, torch::kFloat);
    CHECK(cut.nll == Approx(whole.nll).epsilon(1e-11));
    CHECK(cut.loss == Approx(whole.loss).epsilon(1e-11));
    CHECK(cut.tokens == whole.tokens);
  }
}

TEST_CASE("an evaluation is without dropout and leaves the model's mode alone") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 10);
  torch::manual_seed(1);
  auto options = test::tiny_model();
  options.dropout = 0.5;
  models::EncoderDecoder model(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
  const bool training = GENERATE(true, false);
  model->train(training);
  const auto first = evaluate(model, data, 64, torch::kFloat);
  const auto second = evaluate(model, data, 64, torch::kFloat);
  CHECK(first.nll == second.nll);
  CHECK(model->is_training() == training);
  const auto bf16 = evaluate(model, data, 64, torch::kBFloat16);
  CHECK(bf16.nll == Approx(first.nll).epsilon(0.02));
  CHECK(bf16.nll != first.nll);
}

TEST_CASE("an interrupted evaluation leaves the model's mode alone, too") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 10);
  auto model = test::exact_model();
  model->train();
  const std::atomic<bool> interrupted = true;
  CHECK_THROWS_AS(evaluate(model, data, 50, torch::kFloat, &interrupted), Interrupted);
  CHECK(model->is_training());
}

}  // namespace
}  // namespace transformer::train
