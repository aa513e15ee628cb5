// What holds for every optimiser, and those that LibTorch has, too.
#include "transformer/train/optimizer.h"

#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include "tests/nn/checks.h"
#include "transformer/base/choices.h"
#include "transformer/base/error.h"
#include "transformer/train/optimizer_table.h"

namespace transformer::train {
namespace {

/// A matrix and a vector with an optimiser of their own.
struct Problem {
  torch::Tensor matrix = test::pattern({3, 2}, "matrix").requires_grad_();
  torch::Tensor vector = test::pattern({4}, "vector").requires_grad_();
  std::unique_ptr<Optimizer> optimizer;

  explicit Problem(const TrainOptions& options)
      : optimizer(make_optimizer({{"a.weight", matrix}, {"a.vector", vector}}, options)) {}

  void set_gradients(int number, double scale = 1.0) {
    matrix.mutable_grad() = test::pattern({3, 2}, "matrix " + std::to_string(number)) * scale;
    vector.mutable_grad() = test::pattern({4}, "vector " + std::to_string(number)) * scale;
  }

  void steps(int first, int last) {
    for (int number = first; number <= last; ++number) {
      set_gradients(number);
      optimizer->step(0.01 * number);
    }
  }

  std::map<std::string, torch::Tensor> saved() const {
    std::map<std::string, torch::Tensor> copy;
    for (const auto& [name, tensor] : optimizer->state()) copy[name] = tensor.clone();
    return copy;
  }
};

bool same(const Problem& a, const Problem& b) {
  return torch::equal(a.matrix, b.matrix) && torch::equal(a.vector, b.vector);
}

/// The numbers after three steps of LibTorch's own optimiser.
template <typename Reference, typename Settings>
void compare(const TrainOptions& options, const Settings& settings) {
  Problem problem(options), other(options);
  problem.steps(1, 3);
  Settings of_vectors = settings;
  of_vectors.weight_decay(0.0);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector{other.matrix}, std::make_unique<Settings>(settings));
  groups.emplace_back(std::vector{other.vector}, std::make_unique<Settings>(of_vectors));
  Reference reference(groups, settings);
  for (int number = 1; number <= 3; ++number) {
    other.set_gradients(number);
    for (auto& group : reference.param_groups()) group.options().set_lr(0.01 * number);
    reference.step();
  }
  CHECK(torch::allclose(problem.matrix, other.matrix, 1e-12, 1e-14));
  CHECK(torch::allclose(problem.vector, other.vector, 1e-12, 1e-14));
}

TEST_CASE("a decay in the gradient is that of torch::optim::Adam") {
  const TrainOptions options{.optimizer = OptimizerKind::adam, .weight_decay = 0.1};
  compare<torch::optim::Adam>(options,
                              torch::optim::AdamOptions(0.0).betas({0.9, 0.98}).eps(1e-9).weight_decay(0.1));
}

TEST_CASE("sgd is torch::optim::SGD") {
  const TrainOptions options{
      .optimizer = OptimizerKind::sgd, .momentum = GENERATE(0.0, 0.8), .weight_decay = 0.1};
  compare<torch::optim::SGD>(options,
                             torch::optim::SGDOptions(0.0).momentum(options.momentum).weight_decay(0.1));
}

TEST_CASE("every optimiser keeps what is said of it, and goes on from that as if nothing had happened") {
  for (const auto kind : all_values<OptimizerKind>()) {
    INFO(name_of(kind));
    const TrainOptions options{.optimizer = kind, .weight_decay = 0.1};
    Problem whole(options), resumed(options);
    whole.steps(1, 2);
    const auto state = whole.saved();
    std::vector<std::string> expected;
    for (const auto* parameter : {"a.weight", "a.vector"})
      for (const auto& kept : facts_of(kind).kept) expected.push_back(kept + "." + parameter);
    std::vector<std::string> found;
    for (const auto& [name, tensor] : whole.optimizer->state()) found.push_back(name);
    CHECK(found == expected);
    {
      const torch::NoGradGuard no_gradients;
      resumed.matrix.copy_(whole.matrix);
      resumed.vector.copy_(whole.vector);
    }
    resumed.optimizer->restore(state, 2, "test");
    for (auto* problem : {&whole, &resumed}) problem->steps(3, 3);
    CHECK(same(whole, resumed));
  }
}

TEST_CASE("every optimiser heeds a divisor, and leaves all as it is where gradients are useless") {
  for (const auto kind : all_values<OptimizerKind>()) {
    INFO(name_of(kind));
    const TrainOptions options{.optimizer = kind, .weight_decay = 0.1};
    Problem divided(options), halved(options);
    divided.set_gradients(1);
    divided.optimizer->step(0.01, {.divisor = torch::full({}, 2.0)});
    halved.set_gradients(1, 0.5);
    halved.optimizer->step(0.01);
    CHECK(same(divided, halved));
    const auto before = divided.saved();
    divided.set_gradients(2, std::numeric_limits<double>::quiet_NaN());
    divided.optimizer->step(0.01, {.useless = torch::ones({})});
    CHECK(same(divided, halved));
    for (const auto& [name, tensor] : divided.saved()) CHECK(torch::equal(tensor, before.at(name)));
    for (auto* problem : {&divided, &halved}) {
      problem->set_gradients(2);
      problem->optimizer->step(0.01, {.useless = torch::zeros({})});
    }
    CHECK(same(divided, halved));
  }
}

TEST_CASE("a group of parameters has its own rate and its own decay") {
  for (const auto kind : all_values<OptimizerKind>()) {
    INFO(name_of(kind));
    const TrainOptions usual{.optimizer = kind, .weight_decay = 0.1};
    auto grouped = usual, decayed = usual;
    grouped.groups = {{.pattern = "*.vector", .rate = 0.5, .weight_decay = 0.2}};
    decayed.groups = {{.pattern = "*.vector", .weight_decay = 0.2}};
    Problem found(grouped), matrix(usual), vector(decayed);
    for (int number = 1; number <= 3; ++number) {
      for (auto* problem : {&found, &matrix, &vector}) problem->set_gradients(number);
      found.optimizer->step(0.01);
      matrix.optimizer->step(0.01);
      vector.optimizer->step(0.005);
    }
    CHECK(torch::equal(found.matrix, matrix.matrix));
    CHECK(torch::equal(found.vector, vector.vector));
    CHECK_FALSE(torch::equal(found.vector, matrix.vector));
  }
}

TEST_CASE("a share of the parameters makes its steps alone") {
  for (const auto kind : all_values<OptimizerKind>()) {
    INFO(name_of(kind));
    const TrainOptions options{.optimizer = kind};
    Problem whole(options), share(options);
    const auto vector = share.vector.detach().clone();
    share.optimizer->keep_share({true, false});
    for (auto* problem : {&whole, &share}) problem->steps(1, 2);
    CHECK(torch::equal(whole.matrix, share.matrix));
    CHECK(torch::equal(share.vector, vector));
    for (const auto& [name, tensor] : share.optimizer->state())
      CHECK(tensor.defined() == name.ends_with("weight"));
  }
}

TEST_CASE("what another optimiser kept is refused, and both are named") {
  Problem adam({.optimizer = OptimizerKind::adamw}), sgd({.optimizer = OptimizerKind::sgd});
  CHECK_THROWS_AS(sgd.optimizer->restore(adam.saved(), 1, "some.file"), InputError);
  CHECK_THROWS_WITH(sgd.optimizer->restore(adam.saved(), 1, "some.file"),
                    "some.file: expected what this optimiser keeps for each parameter (momentum), found what "
                    "another one does (m, v)");
}

}  // namespace
}  // namespace transformer::train
