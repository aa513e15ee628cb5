// Masked tokens as the objective of an encoder (next_tokens.h).
#include <cmath>

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "tests/nn/checks.h"
#include "tests/train/random_data.h"
#include "transformer/base/error.h"
#include "transformer/data/dataset_writer.h"
#include "transformer/data/prepare.h"
#include "transformer/models/kinds.h"
#include "transformer/models/size.h"
#include "transformer/tasks/tasks.h"
#include "transformer/tasks/text_task.h"
#include "transformer/train/evaluation.h"

namespace transformer::tasks {
namespace {

constexpr std::int32_t kMask = 4;

models::ModelOptions encoder_options() {
  auto options = test::tiny_model();
  options.kind = {models::kEncoder, {}};
  options.embedding_norm = true;
  options.encoder = {.output_transform = true, .segments = 2};
  options.output_bias = true;
  options.dropout = 0;
  return options;
}

models::AnyModel exact_encoder() {
  auto model = models::make(encoder_options(), {test::kVocabulary, test::kVocabulary});
  model->to(torch::kDouble);
  return model;
}

data::Dataset some_documents(const test::TemporaryFolder& folder) {
  const auto file = folder.path() / "text.bin";
  data::DatasetWriter writer(file, test::kVocabulary);
  writer.add(std::vector<std::int32_t>{5, 6, 7, 8, 9, 10, 11, 12, 5, 6, 7, 8, 9});
  writer.add(std::vector<std::int32_t>{});
  writer.add(std::vector<std::int32_t>{8, 12});
  writer.add(std::vector<std::int32_t>{7, 7, 9, 6, 10, 11});
  writer.commit();
  return data::Dataset(file);
}

Drawing masked(double share = 0.3) {
  return {.masking = std::make_shared<data::Masking>(
              data::Masking{.share = share, .mask = kMask, .vocabulary = test::kVocabulary})};
}

std::vector<torch::Tensor> gradients_of(models::AnyModel& model, const torch::Tensor& loss) {
  return torch::autograd::grad({loss}, model->parameters());
}

TEST_CASE("the loss of masked tokens and its gradients are those of the definition, at their places alone") {
  const test::TemporaryFolder folder;
  const auto data = some_documents(folder);
  auto model = exact_encoder();
  auto& encoder = models::text_encoder(*model);
  for (const double smoothing : {0.0, 0.1}) {
    NextTokens objective(model, data, {.label_smoothing = smoothing}, masked());
    const auto batch = objective.examples().make_batch({0, 1, 2, 3});
    const auto& tensors = std::any_cast<const BatchTensors&>(batch);
    const auto& places = tensors.target_input.rows;
    CHECK(places.size(0) == 4 + 1 + 2);  // of 13, 0, 2 and 6 tokens
    const auto logits = encoder.logits(encoder.states(tensors.source)).index_select(0, places);
    const auto by_hand =
        at::cross_entropy_loss(logits, tensors.labels, {}, at::Reduction::Sum, -100, smoothing);
    const auto found = objective.loss({objective.outputs(batch)}, batch);
    CHECK(found.smoothed.item<double>() == Approx(by_hand.item<double>()).epsilon(1e-11));
    CHECK(found.nll.item<double>() ==
          Approx(at::cross_entropy_loss(logits, tensors.labels, {}, at::Reduction::Sum).item<double>()));
    const auto expected = gradients_of(model, by_hand), got = gradients_of(model, found.smoothed);
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(test::difference(got[i], expected[i]) < 1e-10);
    const auto whole = train::evaluate_loss(objective, torch::kDouble);
    CHECK(whole.tokens == 7);
    CHECK(whole.nll == Approx(found.nll.item<double>() / 7).epsilon(1e-11));
  }
}

TEST_CASE("each epoch masks other tokens, each evaluation the same, and both count what is predicted") {
  const test::TemporaryFolder folder;
  const auto data = some_documents(folder);
  auto model = exact_encoder();
  const NextTokens objective(model, data, {}, masked());
  const auto places = [](const train::Epoch& epoch) {
    return std::any_cast<BatchTensors>(epoch.examples->make_batch({0, 3})).target_input.rows;
  };
  CHECK(torch::equal(places(objective.evaluation()), places(objective.evaluation())));
  CHECK(torch::equal(places(objective.epoch(5, 2)), places(objective.epoch(5, 2))));
  CHECK_FALSE(torch::equal(places(objective.epoch(5, 2)), places(objective.epoch(5, 3))));
  CHECK_FALSE(torch::equal(places(objective.epoch(5, 2)), places(objective.epoch(6, 2))));
  const auto [plan, examples] = objective.epoch(3, 0);
  std::int64_t read = 0, predicted = 0;
  for (const auto& micro_batch : plan.micro_batches()) {
    const auto size = examples->size_of(micro_batch);
    read += size.source_tokens;
    predicted += size.target_tokens;
  }
  CHECK((read == 21 + 2 * 4 && predicted == 7));
  models::TokenCounts counts;
  counts.add_pair(15, 4);
  CHECK(examples->flops({{0}}) == models::training_flops(model->options(), model->vocabulary(), counts));
}

TEST_CASE("a batch in which nothing is masked has no loss") {
  const test::TemporaryFolder folder;
  const auto data = some_documents(folder);
  auto model = exact_encoder();
  NextTokens objective(model, data, {}, masked());
  const auto batch = objective.examples().make_batch({1});
  const auto loss = objective.loss({objective.outputs(batch)}, batch);
  CHECK(loss.nll.item<double>() == 0);
}

TEST_CASE("masks need an encoder without a head") {
  const test::TemporaryFolder folder;
  const auto data = some_documents(folder);
  CHECK_THROWS_WITH(
      NextTokens(test::exact_model(), data, {}, masked()),
      "model.kind: expected a model that reads a text as a whole, found 'encoder-decoder', which does not");
  auto options = encoder_options();
  options.encoder.head = models::Head::classes;
  CHECK_THROWS_WITH(
      NextTokens(models::make(options, {test::kVocabulary, 6}), data, {}, masked()),
      "model.head: expected none for masked tokens (data.examples: documents), found 'classes'");
}

TEST_CASE("an encoder's task is made of a configuration, whose data have masks") {
  const test::TemporaryFolder folder;
  auto experiment = test::tiny_experiment(test::prepare_reverse_task(folder, 60, 6));
  const std::atomic<bool> interrupted = false;
  const auto task = [&] { return make(experiment, {.interrupted = interrupted}); };
  experiment.model = encoder_options();
  CHECK_THROWS_WITH(
      task(),
      ContainsSubstring("data.examples: expected documents, labelled or answers for model.kind encoder"));
  auto& data = experiment.data;
  data.examples = data::ExampleKind::documents;
  data.train += "." + data.source;
  data.dev += "." + data.source;
  data.prepared = (folder.path() / "documents").string();
  data::prepare(data, {.quiet = true});
  CHECK_THROWS_WITH(task(), ContainsSubstring("tokenizer.model: expected a piece <mask>"));
  data.masks = true;
  CHECK_THROWS_WITH(task(), ContainsSubstring("data.masks is true, but was false when it was prepared"));
  data.vocabulary = 26;
  data.prepared = (folder.path() / "masks").string();
  data::prepare(data, {.quiet = true});
  const auto made = task();
  CHECK(made->describe_data() == "60 training documents");
  made->module().eval();
  CHECK(train::evaluate_loss(made->dev(), torch::kFloat).perplexity > 5);
  experiment.train.metric_every = 1;
  CHECK_THROWS_WITH(task(), ContainsSubstring("train.metric_every: expected 0 where masked tokens"));
}

}  // namespace
}  // namespace transformer::tasks
