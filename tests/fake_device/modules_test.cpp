// Every model computes on another device what it computes on the CPU.
#include <torch/autograd.h>

#include "tests/catch.h"
#include "tests/fake_device/fake_device.h"
#include "tests/options/model_variants.h"
#include "tests/translation/toy_model.h"
#include "transformer/runtime/device.h"

using namespace transformer;

namespace {

constexpr std::int64_t kVocabulary = 60;

/// No weight keeps a value, such as zero, that would hide its part.
models::EncoderDecoder random_model(const models::ModelOptions& options) {
  torch::manual_seed(5);
  models::EncoderDecoder model(options, models::VocabularySizes{kVocabulary, kVocabulary});
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.add_(0.1 * torch::randn_like(parameter));
  model->eval();
  return model;
}

struct Computed {
  torch::Tensor logits;
  std::vector<torch::Tensor> gradients;
};

Computed compute(models::EncoderDecoder& model) {
  const auto source = test::random_sources(3, {7, 4}, kVocabulary).to(model->device());
  const auto target = test::random_sources(4, {5, 8}, kVocabulary).to(model->device());
  const auto logits = model->forward(source, target);
  torch::manual_seed(9);
  const auto weights = torch::randn(logits.sizes()).to(model->device());
  Computed computed{logits.detach().cpu(), {}};
  for (const auto& gradient : torch::autograd::grad({(logits * weights).sum()}, model->parameters()))
    computed.gradients.push_back(gradient.cpu());
  return computed;
}

double relative_difference(const torch::Tensor& a, const torch::Tensor& b, double least) {
  return (a - b).abs().max().item<double>() / std::max(b.abs().max().item<double>(), least);
}

}  // namespace

TEST_CASE("every model gives on the device the logits and gradients of the CPU") {
  auto all = test::single_variants();
  for (auto& pair : test::pairwise_outside_variants()) all.push_back(std::move(pair));
  for (const auto& [name, options] : all) {
    INFO(name);
    auto model = random_model(options);
    const auto here = compute(model);
    runtime::move_to(*model, test::fake_device::device());
    const auto there = compute(model);
    CHECK(relative_difference(there.logits, here.logits, 1e-3) < 1e-5);
    double largest = 0;
    for (const auto& gradient : here.gradients)
      largest = std::max(largest, gradient.abs().max().item<double>());
    REQUIRE(there.gradients.size() == here.gradients.size());
    for (std::size_t i = 0; i < here.gradients.size(); ++i)
      CHECK(relative_difference(there.gradients[i], here.gradients[i], 1e-2 * largest) < 1e-3);
  }
}
