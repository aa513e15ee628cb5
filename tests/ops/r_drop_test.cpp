#include "transformer/ops/r_drop.h"

#include <torch/autograd.h>

#include "tests/nn/checks.h"
#include "transformer/ops/label_smoothing.h"

namespace transformer::ops {
namespace {

using test::difference;
using test::variable;

constexpr std::int64_t kDropRows = 9000, kDropSize = 6, kDropClasses = 11;  // three chunks

torch::Tensor some_labels(std::int64_t rows) {
  return torch::arange(rows) * 3 % kDropClasses;
}

// By torch.nn.functional's cross_entropy (label_smoothing 0.1) and kl_div, α = 5, put together as the
// article's code does, and halved.
TEST_CASE("the loss of two passes equals PyTorch's functions put together") {
  const auto leaf = [](std::vector<double> values) {
    return torch::tensor(values).to(torch::kDouble).view({2, 3}).requires_grad_();
  };
  const auto first = leaf({1, 2, 3, 0, -1, 0.5}), second = leaf({0.5, 2.5, 2, 1, -0.5, 0});
  const auto loss = r_drop_loss(first, second, torch::tensor({2, 0}), 0.1, 5);
  CHECK(loss.smoothed.item<double>() == Approx(2.821856747052572).epsilon(1e-12));
  CHECK(loss.nll.item<double>() == Approx(1.5155311367655222).epsilon(1e-12));
  const auto gradients = torch::autograd::grad({loss.smoothed}, {first, second});
  const auto expected = [](std::vector<double> values) {
    return torch::tensor(values, torch::kDouble).view({2, 3});
  };
  CHECK(difference(gradients[0], expected({0.0338761527554919, -0.6388107679114902, 0.6049346151559981,
                                           -1.037188451851812, -0.03660572641305529, 1.0737941782648672})) <
        1e-12);
  CHECK(difference(gradients[1], expected({-0.03208475645645298, 1.1126700500479005, -1.0805852935914477,
                                           0.5464793320157135, 0.06176372756768929, -0.6082430595834027})) <
        1e-12);
}

struct Given {
  torch::Tensor first, second, weight, bias;

  Given(std::int64_t rows, torch::ScalarType type, bool with_bias)
      : first(leaf({rows, kDropSize}, "first", type)),
        second(leaf({rows, kDropSize}, "second", type)),
        weight(leaf({kDropClasses, kDropSize}, "weight", type)),
        bias(with_bias ? leaf({kDropClasses}, "bias", type) : torch::Tensor()) {}

  std::vector<torch::Tensor> all() const {
    std::vector<torch::Tensor> list{first, second, weight};
    if (bias.defined()) list.push_back(bias);
    return list;
  }
  torch::Tensor logits(const torch::Tensor& states) const {
    const auto product = states.mm(weight.t());
    return bias.defined() ? product + bias : product;
  }
  TokenLoss by_definition(double epsilon, double alpha) const {
    return r_drop_loss(logits(first), logits(second), some_labels(first.size(0)), epsilon, alpha);
  }
  TokenLoss projected(double epsilon, double alpha) const {
    return projected_r_drop_loss(first, second, weight, some_labels(first.size(0)), epsilon, alpha, bias);
  }

 private:
  static torch::Tensor leaf(at::IntArrayRef size, const char* name, torch::ScalarType type) {
    return (test::pattern(size, name) * 2).to(type).requires_grad_();
  }
};

TEST_CASE("the projected loss of two passes is that of their projections, in chunks") {
  const auto type = GENERATE(torch::kDouble, torch::kFloat);
  const bool with_bias = GENERATE(false, true);
  const double epsilon = GENERATE(0.0, 0.1), alpha = GENERATE(0.0, 5.0);
  const Given given(kDropRows, type, with_bias);
  const auto loss = given.projected(epsilon, alpha), expected = given.by_definition(epsilon, alpha);
  const double tolerance = type == torch::kDouble ? 1e-12 : 1e-5;
  CHECK(loss.smoothed.item<double>() == Approx(expected.smoothed.item<double>()).epsilon(tolerance));
  CHECK(loss.nll.item<double>() == Approx(expected.nll.item<double>()).epsilon(tolerance));
  CHECK_FALSE(loss.nll.requires_grad());
  const auto found = torch::autograd::grad({loss.smoothed * 0.25}, given.all()),
             wanted = torch::autograd::grad({expected.smoothed * 0.25}, given.all());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("gradient " << i);
    CHECK((found[i] - wanted[i]).norm().item<double>() < tolerance * wanted[i].norm().item<double>());
  }
}

TEST_CASE("of two passes, too, states behind the labels have no loss, and their gradient is zero") {
  const bool with_bias = GENERATE(false, true);
  const Given given(kDropRows, torch::kDouble, with_bias);
  const auto asked = kDropRows - GENERATE(1, 30, 5000);
  auto own = given;
  own.first = given.first.detach().narrow(0, 0, asked).requires_grad_();
  own.second = given.second.detach().narrow(0, 0, asked).requires_grad_();
  const auto loss = projected_r_drop_loss(given.first, given.second, given.weight, some_labels(asked), 0.1, 5,
                                          given.bias),
             expected = own.projected(0.1, 5);
  CHECK(loss.smoothed.item<double>() == Approx(expected.smoothed.item<double>()).epsilon(1e-12));
  CHECK(loss.nll.item<double>() == Approx(expected.nll.item<double>()).epsilon(1e-12));
  const auto found = torch::autograd::grad({loss.smoothed}, given.all()),
             wanted = torch::autograd::grad({expected.smoothed}, own.all());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("gradient " << i);
    const bool of_states = i < 2;
    const auto there = of_states ? found[i].narrow(0, 0, asked) : found[i];
    CHECK((there - wanted[i]).norm().item<double>() <= 1e-12 * wanted[i].norm().item<double>());
    if (of_states) CHECK(found[i].narrow(0, asked, kDropRows - asked).abs().max().item<double>() == 0);
  }
}

TEST_CASE("the gradients of the loss of two passes agree with finite differences") {
  torch::manual_seed(1);
  const Given given(600, torch::kDouble, true);
  test::check_gradients([&] { return given.projected(0.1, 5).smoothed; }, given.all());
}

TEST_CASE("passes that agree have the loss of one, and no more gradient") {
  Given given(kDropRows, torch::kDouble, false);
  given.second = given.first.detach().clone().requires_grad_();
  const auto loss = given.projected(0.1, 5),
             one = projected_loss(given.first, given.weight, some_labels(kDropRows), 0.1);
  CHECK(loss.smoothed.item<double>() == Approx(one.smoothed.item<double>()).epsilon(1e-12));
  const auto both = torch::autograd::grad({loss.smoothed}, {given.first, given.second, given.weight});
  const auto alone = torch::autograd::grad({one.smoothed}, {given.first, given.weight});
  CHECK(difference(both[0] + both[1], alone[0]) < 1e-12);
  CHECK(difference(both[2], alone[1]) < 1e-10);
}

TEST_CASE("without gradients the loss of two passes has the same values") {
  const Given given(kDropRows, torch::kDouble, false);
  const auto with = given.projected(0.1, 5);
  const torch::NoGradGuard no_gradients;
  const auto without = given.projected(0.1, 5);
  CHECK(torch::equal(with.smoothed, without.smoothed));
  CHECK(torch::equal(with.nll, without.nll));
  CHECK_FALSE(without.smoothed.requires_grad());
}

TEST_CASE("in bf16 the loss of two passes stays close to fp32") {
  const bool with_bias = GENERATE(false, true);
  const Given given(kDropRows, torch::kFloat, with_bias);
  const auto exact = given.projected(0.1, 5);
  const auto wanted = torch::autograd::grad({exact.smoothed}, given.all());
  auto rounded = given;
  rounded.first = given.first.to(torch::kBFloat16);
  rounded.second = given.second.to(torch::kBFloat16);
  const auto loss = rounded.projected(0.1, 5);
  CHECK(loss.smoothed.scalar_type() == torch::kDouble);
  CHECK(loss.smoothed.item<double>() == Approx(exact.smoothed.item<double>()).epsilon(5e-3));
  CHECK(loss.smoothed.item<double>() != exact.smoothed.item<double>());
  const auto found = torch::autograd::grad({loss.smoothed}, given.all());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("gradient " << i);
    CHECK(found[i].scalar_type() == torch::kFloat);
    CHECK((found[i] - wanted[i]).norm().item<double>() < 0.02 * wanted[i].norm().item<double>());
  }
}

}  // namespace
}  // namespace transformer::ops
