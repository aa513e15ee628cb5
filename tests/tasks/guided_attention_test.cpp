#include "transformer/tasks/guided_attention.h"

#include <cmath>

#include "tests/train/random_data.h"
#include "transformer/base/error.h"
#include "transformer/nn/attention_record.h"
#include "transformer/tasks/next_tokens.h"

namespace transformer::tasks {
namespace {

/// The first token of each sentence is linked to the source's end, and the second one to the source's first
/// two tokens.
class SomeLinks : public data::PieceLinker {
 public:
  data::PieceLinks links_of(const data::Batch& batch) const override {
    data::PieceLinks links;
    const auto add = [&](std::size_t sentence, std::int64_t target, std::int64_t source, float share) {
      links.sentences.push_back(static_cast<std::int64_t>(sentence));
      links.targets.push_back(target);
      links.sources.push_back(source);
      links.shares.push_back(share);
    };
    for (std::size_t i = 0; i < batch.indices.size(); ++i) {
      const auto end = batch.source_offsets[i + 1] - batch.source_offsets[i] - 1;
      if (batch.target_offsets[i + 1] - batch.target_offsets[i] < 3)
        continue;  // the last one is read by no step
      add(i, 0, end, 1);
      if (end < 1) continue;
      add(i, 1, 0, 0.5);
      add(i, 1, 1, 0.5);
    }
    return links;
  }
};

/// In double precision and without dropout.
models::EncoderDecoder deep_model() {
  auto options = test::tiny_model();
  options.dropout = 0;
  options.decoder_layers = 3;
  return test::with_pattern(
      models::EncoderDecoder(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary}));
}

double loss_of(NextTokens& objective, const std::any& batch) {
  std::vector<torch::Tensor> outputs;
  for (std::int64_t i = 0; i < objective.passes(); ++i) outputs.push_back(objective.outputs(batch));
  return objective.loss(outputs, batch).smoothed.item<double>();
}

TEST_CASE("the loss of a head is the cross-entropy of its weights against the links") {
  const auto weights =
      torch::tensor({0.5, 0.2, 0.3, 0.1, 0.9, 0.0, 0.25, 0.25, 0.5, 1.0, 0.0, 0.0}, torch::kDouble)
          .view({2, 2, 3})
          .set_requires_grad(true);
  const auto links =
      to_device(data::PieceLinks{{0, 0, 0, 1, 1}, {0, 0, 1, 0, 1}, {0, 2, 1, 1, 0}, {0.5F, 0.5F, 1, 1, 1}},
                torch::kCPU);
  const auto loss = alignment_loss(weights, links);
  CHECK(loss.item<double>() ==
        Approx(-(0.5 * std::log(0.5) + 0.5 * std::log(0.3) + std::log(0.9) + std::log(0.25))));
  loss.backward();
  const auto gradient = weights.grad().flatten();
  const double expected[] = {-1, 0, -0.5 / 0.3, 0, -1 / 0.9, 0, 0, -4, 0, -1, 0, 0};
  for (std::int64_t i = 0; i < 12; ++i)
    CHECK(gradient[i].item<double>() == Approx(expected[i]).margin(1e-12));
  CHECK(alignment_loss(weights, to_device(data::PieceLinks{}, torch::kCPU)).item<double>() == 0);
  // At the step that reads a token, which is the next one.
  const auto read =
      to_device(data::PieceLinks{{0, 0, 1}, {0, 0, 0}, {0, 1, 0}, {0.5F, 0.5F, 1}}, torch::kCPU);
  CHECK(alignment_loss(weights, read, train::GuidedStep::reads).item<double>() ==
        Approx(-(0.5 * std::log(0.1) + 0.5 * std::log(0.9))));
  // A weight of 0 has a loss that can be counted.
  const auto none = to_device(data::PieceLinks{{0}, {1}, {2}, {1}}, torch::kCPU);
  CHECK(alignment_loss(weights, none).item<double>() == Approx(87.3365447));
}

TEST_CASE("what is added is the weighted loss of the chosen head, and its gradients are true") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  auto model = deep_model();
  const auto layers = model->options().decoder_layers, heads = model->options().heads;
  REQUIRE(layers > 1);
  REQUIRE(heads > 1);
  NextTokens plain(model, data, {});
  const auto linker = std::make_shared<SomeLinks>();
  for (std::int64_t layer = 0; layer <= layers; ++layer) {
    const auto head = 1 + layer % heads;
    NextTokens guided(model, data, {.guided_alignment = 0.7, .guided_layer = layer, .guided_head = head},
                      {.linker = linker});
    const auto batch = guided.examples().make_batch(test::numbers(0, 6));
    // The definition: every module records its weights.
    nn::AttentionRecord record;
    const auto& tensors = std::any_cast<const BatchTensors&>(batch);
    models::sequence_to_sequence(*model).states(tensors.source, tensors.target_input);
    const auto& all = record.of(variants::Role::source);
    REQUIRE(std::ssize(all) == layers);
    const auto chosen = layer > 0 ? layer - 1 : layers - 2;
    const auto expected =
        alignment_loss(all[static_cast<std::size_t>(chosen)].select(1, head - 1), *tensors.links);
    CHECK(loss_of(guided, batch) - loss_of(plain, batch) ==
          Approx(0.7 * expected.item<double>()).epsilon(1e-10));
  }

  const auto step = GENERATE(train::GuidedStep::writes, train::GuidedStep::reads);
  NextTokens guided(model, data, {.guided_alignment = 0.7, .guided_step = step}, {.linker = linker});
  const auto batch = guided.examples().make_batch(test::numbers(0, 6));
  model->zero_grad();
  guided.loss({guided.outputs(batch)}, batch).smoothed.backward();
  const torch::NoGradGuard no_gradients;
  for (const auto& parameter : model->named_parameters()) {
    auto number = parameter.value().view(-1)[0];
    const double before = number.item<double>(), step = 1e-5;
    number.fill_(before + step);
    const double above = loss_of(guided, batch);
    number.fill_(before - step);
    const double below = loss_of(guided, batch);
    number.fill_(before);
    INFO(parameter.key());
    CHECK(parameter.value().grad().view(-1)[0].item<double>() ==
          Approx((above - below) / (2 * step)).epsilon(1e-5).margin(1e-6));
  }
}

TEST_CASE("two passes have the mean of their heads' losses, and what is not taken does not count later") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 4);
  auto model = test::exact_model();
  model->eval();
  const auto linker = std::make_shared<SomeLinks>();
  NextTokens once(model, data, {.guided_alignment = 2}, {.linker = linker});
  NextTokens twice(model, data, {.r_drop = 1, .guided_alignment = 2}, {.linker = linker});
  const auto batch = once.examples().make_batch(test::numbers(0, 4));
  const auto other = once.examples().make_batch(test::numbers(1, 2));
  once.outputs(other);
  const double expected = loss_of(once, batch);
  CHECK(loss_of(twice, batch) == Approx(expected).epsilon(1e-10));  // without dropout both agree
  CHECK(loss_of(once, batch) == Approx(expected).epsilon(1e-12));
}

TEST_CASE("a layer or a head that there is not is refused by its key") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 4);
  auto model = test::exact_model();
  const auto refused = [&](const train::TrainOptions& options, const std::string& text) {
    CHECK_THROWS_WITH(NextTokens(model, data, options, {.linker = std::make_shared<SomeLinks>()}),
                      ContainsSubstring(text));
  };
  refused({.guided_alignment = 1, .guided_layer = 9}, "train.guided_layer: expected at most ");
  refused({.guided_alignment = 1, .guided_head = 99}, "train.guided_head: expected at most ");
}

}  // namespace
}  // namespace transformer::tasks
