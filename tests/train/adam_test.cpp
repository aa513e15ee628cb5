#include "transformer/train/optimizers/adam.h"

#include "tests/nn/checks.h"
#include "tests/train/constants_torch.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

using test::difference;

struct Problem {
  torch::Tensor matrix = test::pattern({3, 2}, "matrix").requires_grad_();
  torch::Tensor vector = test::pattern({4}, "vector").requires_grad_();
  Adam adam;

  explicit Problem(double weight_decay = 0.0)
      : adam({{"matrix", matrix}, {"vector", vector}}, TrainOptions{.weight_decay = weight_decay}) {}

  void step(std::size_t number) {
    matrix.mutable_grad() = test::pattern({3, 2}, "matrix " + std::to_string(number));
    vector.mutable_grad() = test::pattern({4}, "vector " + std::to_string(number));
    adam.step(test::adam_rates.at(number - 1));
  }

  std::map<std::string, torch::Tensor> saved() const {
    std::map<std::string, torch::Tensor> copy;
    for (const auto& [name, tensor] : adam.state()) copy[name] = tensor.clone();
    return copy;
  }
};

TEST_CASE("three steps at varying rates equal torch.optim.Adam") {
  Problem problem;
  for (const std::size_t number : {1, 2, 3}) problem.step(number);
  CHECK(difference(problem.matrix, test::adam_matrix) < 1e-12);
  CHECK(difference(problem.vector, test::adam_vector) < 1e-12);
}

TEST_CASE("with a weight decay three steps equal torch.optim.AdamW, which leaves vectors alone") {
  Problem problem(test::adamw_weight_decay);
  for (const std::size_t number : {1, 2, 3}) problem.step(number);
  CHECK(difference(problem.matrix, test::adamw_matrix) < 1e-12);
  CHECK(difference(problem.vector, test::adamw_vector) < 1e-12);
  CHECK(test::adamw_vector == test::adam_vector);
  CHECK(test::adamw_matrix != test::adam_matrix);
}

TEST_CASE("a parameter without a gradient is named") {
  Problem problem;
  problem.matrix.mutable_grad() = torch::ones_like(problem.matrix);
  CHECK_THROWS_WITH(problem.adam.step(0.1), ContainsSubstring("'vector'"));
}

TEST_CASE("a restored optimiser goes on as if nothing had happened") {
  const double weight_decay = GENERATE(0.0, 0.1);
  Problem whole(weight_decay), interrupted(weight_decay);
  for (const std::size_t number : {1, 2, 3}) whole.step(number);
  for (const std::size_t number : {1, 2}) interrupted.step(number);

  Problem resumed(weight_decay);
  {
    const torch::NoGradGuard no_gradients;
    resumed.matrix.copy_(interrupted.matrix);
    resumed.vector.copy_(interrupted.vector);
  }
  resumed.adam.restore(interrupted.saved(), 2, "test");
  resumed.step(3);
  CHECK(torch::equal(resumed.matrix, whole.matrix));
  CHECK(torch::equal(resumed.vector, whole.vector));
}

TEST_CASE("moments that do not fit are refused by name") {
  Problem problem;
  problem.step(1);
  auto state = problem.saved();
  SECTION("another shape") {
    state["v.vector"] = torch::zeros({5}, torch::kDouble);
    CHECK_THROWS_AS(problem.adam.restore(state, 1, "some.file"), InputError);
    CHECK_THROWS_WITH(problem.adam.restore(state, 1, "some.file"),
                      ContainsSubstring("some.file") && ContainsSubstring("v.vector"));
  }
  SECTION("absent") {
    state.erase("m.matrix");
    CHECK_THROWS_AS(problem.adam.restore(state, 1, "some.file"), InputError);
    CHECK_THROWS_WITH(problem.adam.restore(state, 1, "some.file"),
                      ContainsSubstring("some.file") && ContainsSubstring("m.matrix"));
  }
  SECTION("another optimiser's") {
    state.erase("v.matrix"), state.erase("v.vector");
    CHECK_THROWS_AS(problem.adam.restore(state, 1, "some.file"), InputError);
    CHECK_THROWS_WITH(problem.adam.restore(state, 1, "some.file"),
                      "some.file: expected what this optimiser keeps for each parameter (m, v), found what "
                      "another one does (m)");
  }
}

TEST_CASE("the norm of many million gradients is right to fp64's precision") {
  const std::int64_t count = 8'000'000;
  auto value = torch::zeros({count}).requires_grad_();
  value.mutable_grad() = torch::full({count}, 1e-3F);
  const Adam adam({{"value", value}}, {});
  CHECK(adam.gradient_norm().item<double>() ==
        Approx(static_cast<double>(1e-3F) * std::sqrt(static_cast<double>(count))).epsilon(1e-10));
}

TEST_CASE("clipped gradients are all divided by what brings their norm to the limit") {
  const auto set = [](Problem& problem, double scale) {
    problem.matrix.mutable_grad() =
        torch::tensor({{2.0, 0.0}, {0.0, 4.0}, {0.0, 0.0}}, torch::kDouble) * scale;
    problem.vector.mutable_grad() = torch::tensor({5.0, 0.0, 0.0, 2.0}, torch::kDouble) * scale;
  };
  Problem problem;
  set(problem, 1.0);
  const auto norm = problem.adam.gradient_norm();
  CHECK(norm.item<double>() == Approx(7.0).epsilon(1e-12));  // 4 + 16 + 25 + 4 = 49
  CHECK_FALSE(Adam::divisor(norm, 0.0).defined());
  CHECK(Adam::divisor(norm, 7.5).item<float>() == 1.0F);
  CHECK(Adam::divisor(norm, 3.5).item<float>() == 2.0F);
  // Gradients that are 8 times too large.
  CHECK(Adam::divisor(8 * norm, 0.0, 8.0).item<float>() == 8.0F);
  CHECK(Adam::divisor(8 * norm, 7.5, 8.0).item<float>() == 8.0F);
  CHECK(Adam::divisor(8 * norm, 3.5, 8.0).item<float>() == 16.0F);
  // Adam's first step hardly depends on the scale of the gradients; its moments do.
  problem.adam.step(0.1, {.divisor = Adam::divisor(norm, 3.5)});
  Problem halved;
  set(halved, 0.5);
  halved.adam.step(0.1);
  const auto found = problem.adam.state(), expected = halved.adam.state();
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(found[i].first);
    CHECK(torch::allclose(found[i].second, expected[i].second));
    CHECK(found[i].second.abs().sum().item<double>() > 0);
  }
}

TEST_CASE("a step with useless gradients changes nothing, and does not count") {
  Problem problem, other;
  const auto before = problem.matrix.detach().clone();
  problem.step(1), other.step(1);
  const auto after = problem.matrix.detach().clone();
  problem.matrix.mutable_grad()[0][0] = std::numeric_limits<double>::quiet_NaN();
  problem.adam.step(0.1, {.useless = torch::ones({})});
  CHECK(torch::equal(problem.matrix, after));
  CHECK_FALSE(torch::equal(after, before));
  problem.step(2), other.step(2);  // whose bias corrections are those of the second update
  CHECK(torch::equal(problem.matrix, other.matrix));
  problem.adam.step(0.1, {.useless = torch::zeros({})});
  CHECK_FALSE(torch::equal(problem.matrix, other.matrix));
}

TEST_CASE("clear_gradients leaves none") {
  Problem problem;
  problem.step(1);
  problem.adam.clear_gradients();
  CHECK_FALSE(problem.matrix.grad().defined());
  CHECK_FALSE(problem.vector.grad().defined());
}

}  // namespace
}  // namespace transformer::train
