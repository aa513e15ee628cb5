#include "transformer/train/optimizers/muon.h"

#include <set>

#include "tests/nn/checks.h"
#include "tests/train/constants_torch.h"
#include "transformer/models/tensors.h"
#include "transformer/runtime/device.h"

namespace transformer::train {
namespace {

using test::difference;

/// Parameters of test::muon, by the names that they have there.
struct TwoHalves {
  struct Parameter {
    std::string name;  ///< as in a model
    std::vector<std::int64_t> shape;
  };
  const std::map<std::string, Parameter> parameters{{"wide", {"layers.0.inner.weight", {3, 5}}},
                                                    {"tall", {"encoder.weight_ih_l0", {6, 4}}},
                                                    {"square", {"layers.0.attention.output.weight", {4, 4}}},
                                                    {"embedding", {"source_embedding.weight", {5, 3}}},
                                                    {"bias", {"layers.0.inner.bias", {4}}}};
  std::map<std::string, torch::Tensor> values = {};

  explicit TwoHalves(torch::ScalarType type) {
    for (const auto& [key, parameter] : parameters)
      values[key] = test::pattern(parameter.shape, key).to(type).requires_grad_();
  }

  NamedTensors named() const {
    NamedTensors all;
    for (const auto& [key, parameter] : parameters) all.emplace_back(parameter.name, values.at(key));
    return all;
  }

  void step(Muon& muon, std::size_t number) {
    for (auto& [key, value] : values)
      value.mutable_grad() =
          test::pattern(value.sizes(), key + " " + std::to_string(number)).to(value.scalar_type());
    muon.step(test::adam_rates.at((number - 1) % test::adam_rates.size()));
  }
};

TEST_CASE("twenty steps equal torch.optim.Muon, and torch.optim.AdamW for embeddings and biases") {
  const auto type = GENERATE(torch::kDouble, torch::kFloat);
  TwoHalves problem(type);
  Muon muon(problem.named(), {.optimizer = OptimizerKind::muon, .weight_decay = test::adamw_weight_decay});
  for (std::size_t number = 1; number <= 20; ++number) problem.step(muon, number);
  REQUIRE(test::muon.size() == problem.values.size());
  for (const auto& [key, expected] : test::muon) {
    INFO(key);
    CHECK(difference(problem.values.at(key), expected) < (type == torch::kDouble ? 1e-8 : 2e-6));
  }
}

TEST_CASE("an orthogonalised matrix has the singular vectors of the matrix, and values near 1") {
  torch::manual_seed(1);
  for (const auto& [rows, columns] : {std::pair{24, 10}, {10, 24}, {16, 16}}) {
    const auto matrix = torch::randn({rows, columns}, torch::kDouble);
    const auto found = orthogonalized(matrix);
    const auto [u, s, v] = torch::linalg_svd(matrix, /*full_matrices=*/false);
    const auto values = u.t().mm(found).mm(v.t());
    CHECK(values.diagonal().min().item<double>() > 0.6);
    CHECK(values.diagonal().max().item<double>() < 1.3);
    CHECK(difference(values, values.diagonal().diag()) < 1e-10);
    CHECK(difference(orthogonalized(matrix * 1000), found) < 1e-6);
    CHECK(difference(orthogonalized(matrix.t()), found.t()) < 1e-12);
    CHECK(difference(orthogonalized(torch::stack({matrix, -matrix})), torch::stack({found, -found})) < 1e-12);
  }
  CHECK(difference(orthogonalized(torch::zeros({3, 2})), torch::zeros({3, 2})) == 0);
}

TEST_CASE("it is computed in the precision of a training") {
  torch::manual_seed(1);
  const auto matrix = torch::randn({24, 10});
  const auto whole = orthogonalized(matrix);
  const runtime::PrecisionScope scope(torch::kBFloat16);
  const auto rounded = orthogonalized(matrix);
  CHECK(rounded.scalar_type() == torch::kFloat);
  const auto distance = difference(rounded, whole);
  CHECK(distance > 1e-4);
  CHECK(distance < 0.05);
}

TEST_CASE("matrices step in bf16 together as each alone") {
  const runtime::PrecisionScope scope(torch::kBFloat16);
  const auto make = [](int matrices) {
    NamedTensors all;
    for (int i = 0; i < matrices; ++i) {
      const auto name = "layers." + std::to_string(i) + ".weight";
      all.emplace_back(name, test::pattern({64, 96}, name).to(torch::kFloat).requires_grad_());
      all.back().second.mutable_grad() = test::pattern({64, 96}, name + " gradient").to(torch::kFloat);
    }
    return all;
  };
  constexpr int kMatrices = 50;  // more than one batch takes
  const auto together = make(kMatrices), alone = make(kMatrices);
  Muon(together, {.optimizer = OptimizerKind::muon}).step(0.1);
  for (int i = 0; i < kMatrices; ++i) {
    Muon({alone[i]}, {.optimizer = OptimizerKind::muon}).step(0.1);
    CHECK(torch::equal(together[i].second, alone[i].second));
    CHECK_FALSE(torch::equal(together[i].second, make(i + 1).back().second));
  }
}

TEST_CASE("a model's hidden matrices are those of attention and feed-forward layers") {
  models::ModelOptions options{
      .encoder_layers = 2, .decoder_layers = 2, .d_model = 8, .d_ff = 16, .heads = 2};
  options.positions = GENERATE(nn::Positions::learned, nn::Positions::bias, nn::Positions::relative);
  options.tie = nn::Tie::none;
  options.attention_score = nn::AttentionScore::additive;
  std::set<std::string> parts;
  int hidden = 0;
  for (const auto& tensor : models::tensors_of(options, {.source = 11, .target = 12})) {
    if (!is_hidden_matrix(tensor.name, std::ssize(tensor.shape))) continue;
    INFO(tensor.name);
    CHECK(std::ranges::min(tensor.shape) > 1);
    parts.insert(name_of(tensor.part));
    ++hidden;
  }
  CHECK(parts == std::set<std::string>{"encoder_self_attention", "encoder_feed_forward",
                                       "decoder_self_attention", "decoder_cross_attention",
                                       "decoder_feed_forward"});
  CHECK(hidden == 2 * (4 + 2) + 2 * (4 + 4 + 2));
}

TEST_CASE("names of recurrent layers are those of hidden matrices; other tables are not") {
  for (const auto* name : {"encoder.weight_ih_l0", "decoder.weight_hh_l1_reverse", "mix.weight"})
    CHECK(is_hidden_matrix(name, 2));
  for (const auto* name :
       {"encoder.bias_ih_l0", "output.weight", "embedding.weight", "target_embedding.weight",
        "source_positions.weight", "encoder.positions.weight", "attention.score_weight"})
    CHECK_FALSE(is_hidden_matrix(name, 2));
  CHECK_FALSE(is_hidden_matrix("norm.weight", 1));
  CHECK_FALSE(is_hidden_matrix("convolution.weight", 3));
}

}  // namespace
}  // namespace transformer::train
