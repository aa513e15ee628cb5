#include <cmath>

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "tests/tasks/toy_language_model.h"
#include "tests/train/outside_training.h"
#include "tests/train/random_data.h"
#include "transformer/base/error.h"
#include "transformer/data/dataset_writer.h"
#include "transformer/data/prepare.h"
#include "transformer/data/prepared.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/tasks/tasks.h"
#include "transformer/tasks/text_task.h"
#include "transformer/train/evaluation.h"

namespace transformer::tasks {
namespace {

using Ids = std::vector<std::int64_t>;

/// A model of double precision, so that equal results are equal to 1e-12.
models::AnyModel bigrams(std::int64_t vocabulary) {
  models::ModelOptions options = test::tiny_model();
  options.kind = test::bigrams();
  auto model = models::make(options, {vocabulary, vocabulary});
  model->to(torch::kDouble);
  return model;
}

data::Dataset two_documents(const test::TemporaryFolder& folder) {
  const auto file = folder.path() / "text.bin";
  data::DatasetWriter writer(file, test::kVocabulary);
  writer.add(std::vector<std::int32_t>{4, 5, 6, 7, 4});
  writer.add(std::vector<std::int32_t>{8, 4});
  writer.commit();
  return data::Dataset(file);
}

TEST_CASE("the loss of documents is that of their tokens by the definition, one by one or in blocks") {
  const test::TemporaryFolder folder;
  const auto data = two_documents(folder);
  auto model = bigrams(test::kVocabulary);
  auto& language = models::language_model(*model);
  const auto by_hand = [&](const Ids& input, const Ids& labels) {
    return ops::label_smoothed_loss(language.logits(language.states(torch::tensor(input))),
                                    torch::tensor(labels), 0.1);
  };
  const Ids labels{4, 5, 6, 7, 4, kEos, 8, 4, kEos};
  const auto check = [&](std::int64_t block, const Ids& input) {
    CAPTURE(block);
    NextTokens objective(model, data, {.micro_tokens = 4, .label_smoothing = 0.1}, {.block = block});
    const auto expected = by_hand(input, labels);
    const auto found = train::evaluate_loss(objective, torch::kDouble);
    CHECK(found.tokens == 9);
    CHECK(found.loss == Approx(expected.smoothed.item<double>() / 9).epsilon(1e-11));
    CHECK(found.nll == Approx(expected.nll.item<double>() / 9).epsilon(1e-11));
  };
  check(0, {kBos, 4, 5, 6, 7, 4, kBos, 8, 4});
  check(4, {kBos, 4, 5, 6, 7, 4, kEos, 8, 4});
  check(100, {kBos, 4, 5, 6, 7, 4, kEos, 8, 4});
}

TEST_CASE("an epoch's updates ask for each token of the stream once, and count its operations") {
  const test::TemporaryFolder folder;
  const auto data = two_documents(folder);
  const NextTokens objective(bigrams(test::kVocabulary), data, {.source_tokens = 5, .target_tokens = 5},
                             {.block = 2});
  for (std::int64_t number = 0; number < 4; ++number) {
    const auto [plan, examples] = objective.epoch(3, number);
    std::int64_t tokens = 0;
    for (const auto& micro_batch : plan.micro_batches()) {
      const auto size = examples->size_of(micro_batch);
      tokens += size.target_tokens;
      CHECK(size.source_tokens == 0);
      const auto batch = std::any_cast<BatchTensors>(examples->make_batch(micro_batch));
      CHECK(batch.labels.size(0) == size.target_tokens);
      CHECK(batch.source.rows.size(0) == 0);
    }
    CHECK(tokens == 9);
  }
}

TEST_CASE("a term from outside is added to the loss, for each pass, and leaves the perplexity alone") {
  test::add_outside_training();
  const test::TemporaryFolder folder;
  const auto data = two_documents(folder);
  auto model = bigrams(test::kVocabulary);
  train::TrainOptions options{.label_smoothing = 0.1};
  NextTokens plain(model, data, options);
  options.variants.loss = {"squares", {{"weight", "0.25"}}};
  NextTokens with_term(model, data, options);
  options.r_drop = 3;
  NextTokens with_passes(model, data, options);
  const auto batch = plain.examples().make_batch({0, 1});
  const auto states = plain.outputs(batch);
  const auto logits = models::language_model(*model).logits(states);
  const auto once = plain.loss({states}, batch), more = with_term.loss({states}, batch);
  const double squares = logits.square().sum().item<double>();
  CHECK(more.smoothed.item<double>() == Approx(once.smoothed.item<double>() + 0.25 * squares).epsilon(1e-11));
  CHECK(more.nll.item<double>() == once.nll.item<double>());
  CHECK((plain.passes() == 1 && with_passes.passes() == 2));
  const auto twice = with_passes.loss({states, states}, batch);  // which agree
  CHECK(twice.smoothed.item<double>() == Approx(more.smoothed.item<double>()).epsilon(1e-11));
  options.variants.loss = {"nobody", {}};
  CHECK_THROWS_WITH(NextTokens(model, data, options), ContainsSubstring("train.variants.loss"));
}

TEST_CASE("a model learns from the data that it is made for, and others are refused by both names") {
  const test::TemporaryFolder folder;
  const auto documents = two_documents(folder);
  const auto pairs = test::random_data(folder, 3);
  CHECK_THROWS_WITH(
      NextTokens(test::exact_model(), documents, {}),
      "model.kind: expected a model that continues a text, found 'encoder-decoder', which does not");
  CHECK_THROWS_WITH(
      NextTokens(bigrams(test::kVocabulary), pairs, {}),
      "model.kind: expected a model that maps a source to a target, found 'bigrams', which does not");
}

TEST_CASE("text without a token, and less of it than a block, is refused") {
  const test::TemporaryFolder folder;
  const auto data = two_documents(folder);
  CHECK_NOTHROW(check_text(data, 9, "text.bin"));
  CHECK_THROWS_WITH(check_text(data, 10, "text.bin"),
                    "text.bin: expected at least a block (data.block) of 10 tokens, found 9");
  const auto file = folder.path() / "blank.bin";
  data::DatasetWriter writer(file, test::kVocabulary);
  writer.add(std::vector<std::int32_t>{});
  writer.commit();
  CHECK_THROWS_WITH(check_text(data::Dataset(file), 0, "blank.bin"),
                    ContainsSubstring("expected text, found no token in any of 1 documents"));
  auto options = test::tiny_model();
  options.positions = nn::Positions::learned;
  options.max_positions = 4;
  CHECK_NOTHROW(check_lengths(data, 4, options, "text.bin"));
  CHECK_THROWS_WITH(check_lengths(data, 0, options, "text.bin"),
                    ContainsSubstring("sentence 0 has 6 tokens with its end"));
}

/// Documents of the reverse task's sentences, prepared.
config::Experiment language_experiment(const test::TemporaryFolder& folder) {
  auto experiment = test::tiny_experiment(test::prepare_reverse_task(folder, 60, 6));
  auto& data = experiment.data;
  data.examples = data::ExampleKind::documents;
  data.block = 8;
  data.train += "." + data.source;
  data.dev += "." + data.source;
  data.test = "";
  data.prepared = (folder.path() / "documents").string();
  data::prepare(data, {.quiet = true});
  experiment.model.kind = test::bigrams();
  experiment.train.metric = "perplexity";
  experiment.train.metric_every = 1;
  return experiment;
}

TEST_CASE("a task is made of a configuration, and judges documents by the metric's name") {
  const test::TemporaryFolder folder;
  auto experiment = language_experiment(folder);
  const std::atomic<bool> interrupted = false;
  const auto task = make(experiment, {.interrupted = interrupted});
  CHECK(task->describe_data() == "60 training documents");
  CHECK(task->samples().empty());
  task->module().eval();
  const auto metric = task->dev_metric();
  REQUIRE(metric);
  CHECK(metric->less_is_better);
  const auto loss = train::evaluate_loss(task->dev(), torch::kFloat);
  CHECK(metric->value == Approx(loss.perplexity).epsilon(1e-4));
  CHECK(std::log(loss.perplexity) == Approx(loss.nll));
  experiment.train.metric = "bleu";
  CHECK_THROWS_WITH(make(experiment, {.interrupted = interrupted}),
                    ContainsSubstring("train.metric: expected a metric of predictions, such as perplexity"));
}

TEST_CASE("prepared documents are known from prepared pairs") {
  const test::TemporaryFolder folder;
  auto options = language_experiment(folder).data;
  CHECK_FALSE(data::PreparedFolder(options).has_pairs);
  options.block = 0;
  CHECK_THROWS_WITH(data::PreparedFolder(options),
                    ContainsSubstring("data.block is \"0\", but was \"more than 0\""));
  options.block = 12;  // blocks are made of what is there
  CHECK_NOTHROW(data::PreparedFolder(options));
  options.document = data::DocumentKind::paragraph;
  CHECK_THROWS_WITH(data::PreparedFolder(options), ContainsSubstring("data.document is"));
  options.examples = data::ExampleKind::pairs;
  CHECK_THROWS_AS(data::PreparedFolder(options), InputError);
}

}  // namespace
}  // namespace transformer::tasks
