#include "transformer/train/trained_parts.h"

#include <algorithm>

#include "tests/nn/checks.h"
#include "tests/train/constants_torch.h"
#include "tests/train/reverse_run.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/config/validate.h"
#include "transformer/runtime/device.h"
#include "transformer/train/checkpoint.h"
#include "transformer/train/optimizers/adam.h"

namespace transformer::train {
namespace {

using test::difference;
using test::ReverseTask;

/// y = x Wᵀ
struct LinearImpl : torch::nn::Module {
  torch::Tensor weight = register_parameter("weight", test::pattern({4, 6}, "base"));
};

TEST_CASE("three steps of an adapter equal PyTorch's of base + alpha / rank B A") {
  LinearImpl linear;
  const TrainOptions options{
      .adapters = {"weight"}, .adapter_rank = test::adapter_rank, .adapter_alpha = test::adapter_alpha};
  TrainedParts trained(linear, options, /*seed=*/1);
  trained.restore(
      {{"weight.adapter_a", test::pattern({2, 6}, "a")}, {"weight.adapter_b", test::pattern({4, 2}, "b")}},
      {{"weight", test::pattern({4, 6}, "base")}}, "test");
  trained.merge();
  Adam adam(trained.parameters(), options);
  const auto x = test::pattern({5, 6}, "x"), target = test::pattern({5, 4}, "target");
  for (const auto rate : test::adam_rates) {
    adam.clear_gradients();
    trained.clear_gradients();
    (torch::mm(x, linear.weight.t()) - target).square().sum().backward();
    trained.project_gradients();
    CHECK_FALSE(linear.weight.grad().defined());
    adam.step(rate);
    trained.merge();
  }
  const auto found = trained.adapters();
  CHECK(difference(found[0].second, test::adapter_a) < 1e-10);
  CHECK(difference(found[1].second, test::adapter_b) < 1e-10);
  CHECK(difference(linear.weight, test::adapter_matrix) < 1e-10);
}

TEST_CASE("a new adapter changes nothing, and its first matrix depends on the seed") {
  LinearImpl linear;
  const TrainOptions options{.adapters = {"weight"}, .adapter_rank = 2};
  const auto first_a = [&](std::int64_t seed) {
    TrainedParts trained(linear, options, seed);
    trained.merge();
    CHECK(torch::equal(linear.weight, test::pattern({4, 6}, "base")));
    return trained.adapters()[0].second.detach();
  };
  CHECK(torch::equal(first_a(1), first_a(1)));
  CHECK_FALSE(torch::equal(first_a(1), first_a(2)));
  CHECK(first_a(1).abs().max().item<double>() <= 1 / std::sqrt(6.0));
}

/// The gradients of a batch of the reverse task, by name.
std::map<std::string, torch::Tensor> gradients_of(tasks::TextTask& task) {
  auto& objective = task.training();
  auto& module = objective.module();
  for (auto& parameter : module.parameters()) parameter.mutable_grad().reset();
  const auto epoch = objective.epoch(1, 0);
  const auto batch = epoch.examples->make_batch(epoch.plan.update(0).front());
  const runtime::PrecisionScope scope(torch::kFloat);
  module.eval();
  objective.loss({objective.outputs(batch)}, batch).smoothed.backward();
  std::map<std::string, torch::Tensor> gradients;
  for (const auto& parameter : module.named_parameters())
    if (parameter.value().grad().defined()) gradients[parameter.key()] = parameter.value().grad().clone();
  return gradients;
}

TEST_CASE("frozen parameters take no gradient, and leave the others' as they are, to the bit") {
  ReverseTask reverse;
  auto& experiment = reverse.experiment;
  experiment.model.norm = GENERATE(nn::NormPlacement::post, nn::NormPlacement::pre);
  experiment.model.attention_bias = true;
  tasks::TextTask task(experiment, torch::kCPU);
  const auto all = gradients_of(task);
  for (const std::string pattern :
       {"encoder.*", "decoder.*", "*norm*", "*attention*", "*feed_forward*", "*embedding*", "*.bias",
        "*.query.*", "*.key.*", "*.value.*", "*.output.*", "*.weight"}) {
    INFO(pattern);
    TrainOptions options;
    options.groups = {{.pattern = pattern, .rate = 0}};
    std::size_t frozen = 0;
    {
      const TrainedParts trained(task.module(), options, 1);
      const auto found = gradients_of(task);
      for (const auto& [name, gradient] : all) {
        INFO(name);
        const auto own = found.find(name);
        if (fits(pattern, name)) {
          CHECK(own == found.end());
          ++frozen;
        } else {
          REQUIRE(own != found.end());
          CHECK(torch::equal(own->second, gradient));
        }
      }
      CHECK(trained.parameters().size() + frozen == all.size());
    }
    CHECK(frozen > 0);
    CHECK(gradients_of(task).size() == all.size());  // all are trained again
  }
}

TEST_CASE("patterns and ranks that cannot be are refused by their key") {
  LinearImpl linear;
  const auto refusal = [&](const TrainOptions& options) {
    try {
      const TrainedParts trained(linear, options, 1);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({.adapters = {"weight"}, .adapter_rank = 3}).empty());
  CHECK(refusal({.adapters = {"weight"}, .adapter_rank = 4}) ==
        "train.adapter_rank: expected less than the sides of 'weight', a matrix of 4 × 6, found 4");
  CHECK(refusal({.adapters = {"*norm*"}}).starts_with("train.adapters: expected a pattern that fits"));
  CHECK(refusal({.groups = {{.pattern = "*", .rate = 0}}}) ==
        "train.groups: expected parameters that are trained, found a rate of 0 for all");

  config::Experiment experiment;
  experiment.train.adapter_rank = 4;
  CHECK(config::find_problem(experiment)->message ==
        "expected 8, its default, where train.adapters is none, found '4'");
  experiment.train.adapters = {"*"};
  CHECK_FALSE(config::find_problem(experiment));
  experiment.train.new_pieces = NewPieces::parts;
  CHECK(config::find_problem(experiment)->message ==
        "expected drawn, its default, where train.from is not set, found 'parts'");
}

checkpoints::NamedTensors weights_of(const std::filesystem::path& model) {
  const auto loaded = checkpoints::load_weights(model / checkpoints::kWeightsFile);
  return {loaded.begin(), loaded.end()};
}

TEST_CASE("a training leaves frozen parameters as they were, and resumes to the bit") {
  ReverseTask reverse;
  REQUIRE(reverse.train("before") == TrainOutcome::finished);
  auto& options = reverse.experiment.train;
  options.from = reverse.run("before").path;
  const bool adapters = GENERATE(false, true);
  if (adapters) {
    options.adapters = {"*attention.query.weight", "*attention.value.weight"};
    options.adapter_rank = 2;
    options.groups = {{.pattern = "*norm*", .rate = 0.5}};
  } else {
    options.groups = {{.pattern = "encoder.*", .rate = 0}};
  }
  REQUIRE(reverse.train("whole") == TrainOutcome::finished);
  const auto begun = checkpoints::resolve_model_directory(reverse.run("before").path);
  const auto before = checkpoints::load_weights(begun / checkpoints::kWeightsFile);
  const auto last = reverse.run("whole").checkpoints() / "last";
  for (const auto& [name, weight] : weights_of(last)) {
    INFO(name);
    const bool trained = adapters ? fits("*attention.query.weight", name) ||
                                        fits("*attention.value.weight", name) || fits("*norm*", name)
                                  : !fits("encoder.*", name);
    CHECK(torch::equal(weight, before.at(name)) == !trained);
  }
  const auto killed = reverse.run("killed");
  std::filesystem::copy(
      reverse.run("whole").path, killed.path,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  for (const auto step : {16, 18, 20}) std::filesystem::remove_all(killed.checkpoint(step));
  REQUIRE(reverse.train("killed", true) == TrainOutcome::finished);
  test::check_equal(reverse.run("whole"), killed);
  CHECK(std::filesystem::exists(last / kAdaptersFile) == adapters);
  if (!adapters) return;
  const bool same = test::content_of(last / kAdaptersFile) ==
                    test::content_of(killed.checkpoints() / "last" / kAdaptersFile);
  CHECK(same);
  // The saved weight is what the saved adapters make of the saved base.
  const auto parts = checkpoints::load_safetensors(last / kAdaptersFile);
  const auto name = std::string("encoder.layers.0.self_attention.query.weight");
  const auto merged = checkpoints::load_safetensors(last / kAdaptersBaseFile).at(name) +
                      options.adapter_alpha / static_cast<double>(options.adapter_rank) *
                          parts.at(name + ".adapter_b").mm(parts.at(name + ".adapter_a"));
  CHECK(torch::allclose(merged, checkpoints::load_weights(last / checkpoints::kWeightsFile).at(name), 1e-6));
}

TEST_CASE("weights that fit nothing are refused before a run is made, and others when a run goes on") {
  ReverseTask reverse;
  REQUIRE(reverse.train("before") == TrainOutcome::finished);
  reverse.experiment.train.from = reverse.run("before").path;
  const auto usual = reverse.experiment;
  reverse.experiment.model.d_model = 40;
  reverse.experiment.model.d_ff = 80;
  CHECK_THROWS_AS(reverse.train("wider"), InputError);
  CHECK_FALSE(std::filesystem::exists(reverse.run("wider").path));
  reverse.experiment = usual;

  REQUIRE(reverse.train("run") == TrainOutcome::finished);
  reverse.experiment.train.steps = 24;
  reverse.experiment.train.from = reverse.run("before").checkpoint(4);
  CHECK_THROWS_WITH(reverse.train("run", true), ContainsSubstring("its own beginning (train.from"));
  reverse.experiment.train.from = "gone";
  CHECK(reverse.train("run", true) == TrainOutcome::finished);
}

}  // namespace
}  // namespace transformer::train
