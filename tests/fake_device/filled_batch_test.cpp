// Batches that are filled up on a device (data/filler.h) have the losses and gradients that they have
// without.
#include <torch/autograd.h>

#include "tests/catch.h"
#include "tests/fake_device/tested_device.h"
#include "tests/options/steady.h"
#include "tests/train/random_data.h"
#include "transformer/data/filler.h"
#include "transformer/ops/dropout.h"
#include "transformer/tasks/next_tokens.h"

using namespace transformer;

namespace {

models::EncoderDecoder model_of(nn::NormKind norm, double dropout = 0,
                                nn::NormPlacement placement = nn::NormPlacement::post) {
  torch::manual_seed(5);
  auto options = test::tiny_model();
  options.dropout = dropout;
  options.norm = placement;
  options.output_bias = true;
  options.norm_type = norm;
  models::EncoderDecoder model(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
  model->train();
  return model;
}

/// Loss and nll, then the gradients of what is learned, on the CPU.
std::vector<torch::Tensor> numbers_of(tasks::NextTokens& objective, const std::any& batch,
                                      models::EncoderDecoder& model,
                                      const std::vector<std::int64_t>& examples) {
  const ops::DropoutScope scope(6, 1, examples);
  std::vector<torch::Tensor> outputs{objective.outputs(batch)};
  if (objective.passes() > 1) outputs.push_back(objective.outputs(batch) * 1.25);
  const auto loss = objective.loss(outputs, batch);
  std::vector<torch::Tensor> numbers{loss.smoothed.detach(), loss.nll};
  for (auto& gradient : torch::autograd::grad({loss.smoothed}, test::learned_tensors(model)))
    numbers.push_back(std::move(gradient));
  for (auto& x : numbers) x = x.cpu().to(torch::kDouble);
  return numbers;
}

std::int64_t rows_of(const std::any& batch) {
  return std::any_cast<const tasks::BatchTensors&>(batch).source.rows.size(0);
}

}  // namespace

/// With own kernels dropout's masks are the CPU's, whatever fills the batch.
TEST_CASE("a batch is filled up on a device, and computes what it does without", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 40);
  const double r_drop = GENERATE(0.0, 2.0), dropout = GENERATE(0.0, 0.2);
  const auto placement = GENERATE(nn::NormPlacement::post, nn::NormPlacement::pre);
  for (const std::int64_t sentences : {1, 3, 17, 40}) {
    INFO(sentences << " sentences, R-Drop " << r_drop << ", dropout " << dropout);
    auto here = model_of(nn::NormKind::layer, dropout, placement),
         there = model_of(nn::NormKind::layer, dropout, placement);
    runtime::move_to(*there, test::tested_device());
    const train::TrainOptions options{.label_smoothing = 0.1, .r_drop = r_drop};
    tasks::NextTokens on_cpu(here, data, options), on_device(there, data, options);
    const auto indices = test::numbers(0, sentences);
    const auto batch = on_cpu.examples().make_batch(indices),
               filled = on_device.examples().make_batch(indices);
    CHECK(rows_of(filled) == data::recurring(rows_of(filled)));
    CHECK(rows_of(filled) >= rows_of(batch));
    const auto expected = numbers_of(on_cpu, batch, here, indices),
               found = numbers_of(on_device, filled, there, indices);
    REQUIRE(found.size() == expected.size());
    double largest = 0;
    for (std::size_t i = 2; i < expected.size(); ++i)
      largest = std::max(largest, expected[i].abs().max().item<double>());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double size = i < 2 ? std::abs(expected[i].item<double>()) : largest;
      CHECK((found[i] - expected[i]).abs().max().item<double>() < 1e-5 * size);
    }
  }
}

TEST_CASE("a batch whose sentences share statistics is not filled up", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 3);
  auto model = model_of(nn::NormKind::batch);
  runtime::move_to(*model, test::tested_device());
  const tasks::NextTokens objective(model, data, {});
  const auto indices = test::numbers(0, 3);
  CHECK(rows_of(objective.examples().make_batch(indices)) == data::batch_size(data, indices).source_tokens);
}
