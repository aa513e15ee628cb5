#include "transformer/train/adam.h"

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
}

TEST_CASE("clipping scales all gradients together to the limit") {
  Problem problem;
  const auto set = [&] {
    problem.matrix.mutable_grad() = torch::tensor({{2.0, 0.0}, {0.0, 4.0}, {0.0, 0.0}}, torch::kDouble);
    problem.vector.mutable_grad() = torch::tensor({5.0, 0.0, 0.0, 2.0}, torch::kDouble);  // 4+16+25+4 = 49
  };
  set();
  CHECK(problem.adam.clip_gradients(0.0) == Approx(7.0).epsilon(1e-12));
  CHECK(problem.vector.grad()[0].item<double>() == 5.0);
  CHECK(problem.adam.clip_gradients(7.5) == Approx(7.0).epsilon(1e-12));
  CHECK(problem.vector.grad()[0].item<double>() == 5.0);
  CHECK(problem.adam.clip_gradients(3.5) == Approx(7.0).epsilon(1e-12));
  CHECK(problem.matrix.grad()[1][1].item<double>() == Approx(2.0).epsilon(1e-12));
  CHECK(problem.vector.grad()[0].item<double>() == Approx(2.5).epsilon(1e-12));

  set();
  problem.vector.mutable_grad()[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(problem.adam.clip_gradients(1.0)));
  CHECK(problem.vector.grad()[0].item<double>() == 5.0);
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
