#include "transformer/tasks/labels.h"

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "tests/nn/checks.h"
#include "tests/train/random_data.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/tokenizers.h"
#include "transformer/data/labelled_texts.h"
#include "transformer/data/prepare.h"
#include "transformer/models/kinds.h"
#include "transformer/ops/linear.h"
#include "transformer/tasks/tasks.h"
#include "transformer/train/evaluation.h"

namespace transformer::tasks {
namespace {

using models::Head;

/// Three texts to learn from and one to be judged by, as a task of an encoder with a head.
class Labelled {
 public:
  Labelled(Head head, const std::string& train, const std::string& dev) {
    folder_.write("train.tsv", train);
    folder_.write("dev.tsv", dev);
    experiment.data.examples = head == Head::span ? data::ExampleKind::answers : data::ExampleKind::labelled;
    experiment.data.tokenizer_kind = data::TokenizerKind::words;
    experiment.data.train = (folder_.path() / "train.tsv").string();
    experiment.data.dev = (folder_.path() / "dev.tsv").string();
    experiment.data.prepared = (folder_.path() / "prepared").string();
    data::prepare(experiment.data, {.threads = 1, .quiet = true});
    experiment.model = test::tiny_model();
    experiment.model.kind = {models::kEncoder, {}};
    experiment.model.encoder.head = head;
    experiment.model.dropout = 0;
    experiment.train.label_smoothing = 0;
  }

  std::unique_ptr<train::Task> task() const { return make(experiment, {.interrupted = interrupted_}); }

  config::Experiment experiment;

 private:
  test::TemporaryFolder folder_;
  std::atomic<bool> interrupted_ = false;
};

const char* const kClasses = "one two\tgood\nthree\tbad\nfour five\tgood\n";

models::TextEncoder& encoder_of(train::Task& task) {
  return models::text_encoder(dynamic_cast<models::Model&>(task.module()));
}

/// All texts in one batch, with what the head gives for them.
struct Computed {
  explicit Computed(train::Task& task) {
    const auto epoch = task.training().evaluation();
    train::Examples::MicroBatch all;
    for (std::int64_t i = 0; i < task.training().size(); ++i) all.push_back(i);
    batch = epoch.examples->make_batch(all);
    const auto& tensors = std::any_cast<const BatchTensors&>(batch);
    auto& encoder = encoder_of(task);
    logits = encoder.logits(encoder.states(tensors.source)).index_select(0, tensors.target_input.rows);
    labels = tensors.labels;
    loss = task.training().loss({task.training().outputs(batch)}, batch).smoothed;
  }

  std::any batch;
  torch::Tensor logits, labels, loss;
};

TEST_CASE("labels of texts have the cross-entropy, with weights those of scikit-learn's balance") {
  Labelled labelled(Head::classes, kClasses, "six\tbad\n");
  auto task = labelled.task();
  task->module().to(torch::kDouble);
  const Computed plain(*task);
  CHECK(plain.logits.sizes() == torch::IntArrayRef{3, 2});
  CHECK(test::difference(
            plain.loss.view({1}),
            at::cross_entropy_loss(plain.logits, plain.labels, {}, at::Reduction::Sum).view({1})) < 1e-6);
  labelled.experiment.train.class_weights = train::ClassWeights::balanced;
  labelled.experiment.train.label_smoothing = 0.1;
  task = labelled.task();
  task->module().to(torch::kDouble);
  const Computed weighted(*task);
  // All splits have "bad" and "good" twice, so "bad" is first: 3 / (2 · 1) and 3 / (2 · 2).
  const auto weights = torch::tensor({1.5, 0.75}, torch::kDouble).index_select(0, weighted.labels);
  const auto losses =
      at::cross_entropy_loss(weighted.logits, weighted.labels, {}, at::Reduction::None, -100, 0.1);
  CHECK(weighted.loss.item<double>() == Approx((weights * losses).sum().item<double>()).epsilon(1e-9));
}

TEST_CASE("a head reads the mean of a text's states, as of each text alone, and its gradients are theirs") {
  for (const auto head : {Head::classes, Head::number}) {
    const bool numbers = head == Head::number;
    Labelled labelled(head, numbers ? "one two\t0.5\nthree\t-2\nfour five\t0.5\n" : kClasses,
                      numbers ? "six\t7.25\n" : "six\tbad\n");
    labelled.experiment.model.encoder.pooling = models::Pooling::mean;
    auto task = labelled.task();
    task->module().to(torch::kDouble);
    auto& encoder = encoder_of(*task);
    const auto epoch = task->training().evaluation();
    std::vector<torch::Tensor> alone;
    const auto batch = epoch.examples->make_batch({0, 1, 2});
    const auto& tensors = std::any_cast<const BatchTensors&>(batch);
    const auto* offsets = tensors.source.sequences.host_offsets();
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto ids = tensors.source.rows.slice(0, offsets[i], offsets[i + 1]).unsqueeze(0);
      alone.push_back(encoder.logits(encoder.states(ids)[0].mean(0)));
    }
    const auto logits = torch::stack(alone);
    const auto expected =
        numbers ? (logits.squeeze(1) - torch::tensor({0.5, -2.0, 0.5}, torch::kDouble)).square().sum()
                : at::cross_entropy_loss(logits, tensors.labels, {}, at::Reduction::Sum);
    const auto found = task->training().loss({task->training().outputs(batch)}, batch).smoothed;
    CHECK(found.item<double>() == Approx(expected.item<double>()).epsilon(1e-5));  // the mean is in fp32
    const auto parameters = task->module().parameters();
    const auto exact =
        torch::autograd::grad({expected}, parameters, {}, std::nullopt, false, /*allow_unused=*/true);
    const auto gradients =
        torch::autograd::grad({found}, parameters, {}, std::nullopt, false, /*allow_unused=*/true);
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (exact[i].defined()) CHECK(test::difference(gradients[i], exact[i]) < 1e-4);
  }
}

TEST_CASE("numbers have the squared error, whether training has seen them or not") {
  Labelled labelled(Head::number, "one two\t0.5\nthree\t-2\nfour five\t0.5\n", "six\t7.25\n");
  auto task = labelled.task();
  task->module().to(torch::kDouble);
  const Computed computed(*task);
  const auto expected = torch::tensor({0.5, -2.0, 0.5}, torch::kDouble);
  CHECK(computed.logits.sizes() == torch::IntArrayRef{3, 1});
  CHECK(computed.loss.item<double>() ==
        Approx((computed.logits.squeeze(1) - expected).square().sum().item<double>()).epsilon(1e-9));
  task->module().eval();
  CHECK(train::evaluate_loss(task->dev(), torch::kDouble).tokens == 1);
}

TEST_CASE("words have labels, each its own loss") {
  Labelled labelled(Head::words, "one two\tO B-X\nthree\tO\n", "six one\tO B-X\n");
  auto task = labelled.task();
  task->module().to(torch::kDouble);
  const Computed computed(*task);
  CHECK(computed.logits.sizes() == torch::IntArrayRef{3, 2});
  CHECK(
      computed.loss.item<double>() ==
      Approx(at::cross_entropy_loss(computed.logits, computed.labels, {}, at::Reduction::Sum).item<double>())
          .epsilon(1e-6));
}

TEST_CASE("an answer has the cross-entropies of its first and last token among those of its text") {
  Labelled labelled(Head::span, "who</s>one cat sat\tone cat\nwhere</s>two\ttwo\n", "who</s>one sat\tone\n");
  for (const double smoothing : {0.0, 0.1}) {
    labelled.experiment.train.label_smoothing = smoothing;
    auto task = labelled.task();
    task->module().to(torch::kDouble);
    const auto epoch = task->training().evaluation();
    const auto batch = epoch.examples->make_batch({0, 1});
    auto& encoder = encoder_of(*task);
    const auto logits = [&](const char* text) {  // as one text alone: (T, 2)
      const auto tokenizers = checkpoints::load_tokenizers(labelled.experiment.data.prepared);
      std::vector<std::int64_t> ids{kBos};
      data::for_each_part(text, [&](std::string_view part) {
        for (const auto id : tokenizers.source->encode(std::string(part))) ids.push_back(id);
        ids.push_back(kEos);
      });
      return encoder.logits(encoder.states(torch::tensor(ids).unsqueeze(0)))[0];
    };
    // <s> who </s> one cat sat </s>, and <s> where </s> two </s>
    const auto expect = [&](const torch::Tensor& text, std::int64_t first, std::int64_t last) {
      return at::cross_entropy_loss(text.t(), torch::tensor({first, last}), {}, at::Reduction::Sum, -100,
                                    smoothing);
    };
    const auto expected = expect(logits("who</s>one cat sat"), 3, 4) + expect(logits("where</s>two"), 3, 3);
    const auto loss = task->training().loss({task->training().outputs(batch)}, batch).smoothed;
    CHECK(loss.item<double>() == Approx(expected.item<double>()).epsilon(1e-9));
    std::vector<torch::Tensor> gradients;
    const auto weights = task->module().parameters();
    const auto own = torch::autograd::grad({loss}, weights, {}, false, false, true);
    const auto theirs = torch::autograd::grad({expected}, weights, {}, false, false, true);
    for (std::size_t i = 0; i < own.size(); ++i)
      if (theirs[i].defined()) CHECK(test::difference(own[i], theirs[i]) < 1e-10);
  }
  labelled.experiment.train.metric_every = 1;
  for (const auto* metric : {"exact_match", "answer_f1"}) {
    labelled.experiment.train.metric = metric;
    auto task = labelled.task();
    task->module().eval();
    const auto value = task->dev_metric()->value;
    CHECK((value == 0 || value > 0.4));
  }
}

TEST_CASE("the dev set is judged by a score of labels") {
  Labelled labelled(Head::classes, kClasses, "six\tbad\none\tgood\n");
  labelled.experiment.train.metric_every = 1;
  labelled.experiment.train.metric = "accuracy";
  const auto task = labelled.task();
  CHECK(task->describe_data() == "3 training texts with labels");
  task->module().eval();
  const auto metric = task->dev_metric();
  REQUIRE(metric);
  CHECK((metric->name == "accuracy" && (metric->value == 0 || metric->value == 0.5 || metric->value == 1)));
  CHECK(task->samples().empty());
  labelled.experiment.train.metric = "bleu";
  CHECK_THROWS_WITH(labelled.task(), ContainsSubstring("train.metric: expected one of accuracy"));
}

TEST_CASE("labels that cannot be learnt are refused in one line") {
  const auto refused = [](Head head, const std::string& train, const std::string& dev,
                          const std::string& text) {
    INFO(text);
    CHECK_THROWS_WITH(Labelled(head, train, dev).task(), ContainsSubstring(text));
  };
  refused(Head::none, kClasses, "six\tbad\n", "model.head: expected classes, number or words for labels");
  refused(Head::classes, kClasses, "one\tgood\nsix\tnew\n",
          "dev.bin: text 2: expected a label that a training text has, found 'new'");
  refused(Head::classes, "one\tvery good\ntwo\tbad\n", "six\tbad\n",
          "train.bin: text 1: expected one label, found 2");
  refused(Head::number, "one\t1\ntwo\tbad\n", "six\t1\n",
          "expected a number as a label, found 'bad' (model.head: number)");
  Labelled spans(Head::span, "a b\tb\n", "a b\ta\n");
  spans.experiment.model.encoder.head = Head::classes;
  CHECK_THROWS_WITH(spans.task(),
                    "model.head: expected span for answers (data.examples: answers), found 'classes'");
  refused(Head::words, "one two\tO\nthree\tO\n", "six\tO\n",
          "train.bin: text 1: expected a label for each of 2 words, found 1");
  Labelled labelled(Head::classes, kClasses, "six\tbad\n");
  labelled.experiment.model = test::tiny_model();
  labelled.experiment.model.tie = nn::Tie::target;
  CHECK_THROWS_WITH(labelled.task(),
                    "model.kind: expected encoder where data.examples is labelled, found 'encoder-decoder'");
}

}  // namespace
}  // namespace transformer::tasks
