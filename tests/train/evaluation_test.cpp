#include "transformer/train/evaluation.h"

#include <cmath>

#include "tests/distributed/members.h"
#include "tests/train/random_data.h"
#include "transformer/base/error.h"
#include "transformer/tasks/next_tokens.h"

namespace transformer::train {
namespace {

/// On a data set, in batches of so many tokens.
DataLoss evaluate(const models::EncoderDecoder& model, const data::Dataset& data, std::int64_t micro_tokens,
                  torch::ScalarType precision, const std::atomic<bool>* interrupted = nullptr) {
  tasks::NextTokens objective(model, data, {.micro_tokens = micro_tokens, .label_smoothing = 0.1});
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

/// Equal models, in fp32.
std::vector<models::EncoderDecoder> replicas(std::int64_t count) {
  std::vector<models::EncoderDecoder> models;
  for (std::int64_t i = 0; i < count; ++i) {
    torch::manual_seed(1);
    models.emplace_back(test::tiny_model(), models::VocabularySizes{test::kVocabulary, test::kVocabulary});
  }
  return models;
}

TEST_CASE("several processes find what one alone does, bit by bit") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 30);
  const std::int64_t micro_tokens = GENERATE(1, 80, 100000);  // 30 batches, some, and one
  const auto alone = evaluate(replicas(1)[0], data, micro_tokens, torch::kFloat);
  for (const std::int64_t members : {1, 2, 3}) {
    CAPTURE(members, micro_tokens);
    auto models = replicas(members);
    const auto found = test::run_together(members, [&](distributed::Collectives& others) {
      tasks::NextTokens objective(models[static_cast<std::size_t>(others.group().rank())], data,
                                  {.micro_tokens = micro_tokens, .label_smoothing = 0.1});
      return evaluate_loss(objective, torch::kFloat, nullptr, &others);
    });
    for (const auto& own : found) {
      CHECK(own.nll == alone.nll);
      CHECK(own.loss == alone.loss);
      CHECK(own.perplexity == alone.perplexity);
      CHECK(own.tokens == alone.tokens);
    }
  }
}

TEST_CASE("an interruption of one process ends the evaluation of all, which then go on together") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 10);
  auto models = replicas(2);
  const auto alone = evaluate(models[0], data, 50, torch::kFloat);
  struct Found {
    bool interrupted = false;
    double nll = 0;
  };
  const auto found = test::run_together(2, [&](distributed::Collectives& others) {
    const auto rank = others.group().rank();
    tasks::NextTokens objective(models[static_cast<std::size_t>(rank)], data,
                                {.micro_tokens = 50, .label_smoothing = 0.1});
    const std::atomic<bool> interrupted = rank == 1;
    Found own;
    try {
      evaluate_loss(objective, torch::kFloat, &interrupted, &others);
    } catch (const Interrupted&) {
      own.interrupted = true;
    }
    own.nll = evaluate_loss(objective, torch::kFloat, nullptr, &others).nll;
    return own;
  });
  for (const auto& own : found) {
    CHECK(own.interrupted);
    CHECK(own.nll == alone.nll);
  }
}

}  // namespace
}  // namespace transformer::train
