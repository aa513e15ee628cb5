#include "transformer/ops/label_smoothing.h"

#include <torch/autograd.h>

#include <cmath>

#include "tests/nn/checks.h"
#include "tests/train/constants_torch.h"
#include "transformer/runtime/device.h"

namespace transformer::ops {
namespace {

using test::difference;
using test::variable;

/// So many that projected_loss works in three chunks.
constexpr std::int64_t kRows = 9000, kSize = 6, kClasses = 11;

torch::Tensor some_labels(std::int64_t rows, std::int64_t classes) {
  return torch::arange(rows) * 3 % classes;
}

void check_torch(double epsilon, const test::Reference& reference) {
  auto logits = (test::pattern({5, 7}, "logits") * 3).requires_grad_();
  const auto loss = label_smoothed_loss(logits, some_labels(5, 7), epsilon);
  CHECK(difference(loss.smoothed, reference.output) < 1e-11);
  CHECK(difference(loss.nll, test::plain_cross_entropy.output) < 1e-11);
  loss.smoothed.backward();
  CHECK(difference(logits.grad(), reference.input_gradients.front()) < 1e-12);
}

TEST_CASE("the loss equals PyTorch's cross_entropy with and without smoothing") {
  check_torch(0.1, test::smoothed_cross_entropy);
  check_torch(0.0, test::plain_cross_entropy);
}

TEST_CASE("smoothing by hand: probabilities 1/2, 1/4, 1/4 and the first label") {
  const auto logits = torch::tensor({{std::log(2.0), 0.0, 0.0}}, torch::kDouble);
  const auto loss = label_smoothed_loss(logits, torch::zeros({1}, torch::kLong), 0.3);
  // q is 0.7 + 0.1, 0.1, 0.1; -log p is log 2, 2 log 2, 2 log 2.
  CHECK(loss.smoothed.item<double>() == Approx(1.2 * std::log(2.0)).epsilon(1e-12));
  CHECK(loss.nll.item<double>() == Approx(std::log(2.0)).epsilon(1e-12));
}

TEST_CASE("the slope of the loss by the logits is the distribution minus the smoothed target") {
  for (const double epsilon : {0.0, 0.3}) {
    const auto logits = torch::tensor({{std::log(2.0), 0.0, 0.0}}, torch::kDouble).requires_grad_();
    label_smoothed_loss(logits, torch::zeros({1}, torch::kLong), epsilon).smoothed.backward();
    // The distribution is 1/2, 1/4, 1/4; the target 1 - ε and ε / 3 for each of the three.
    const double share = epsilon / 3;
    CHECK(difference(logits.grad(), {0.5 - (1 - epsilon) - share, 0.25 - share, 0.25 - share}) < 1e-12);
  }
}

TEST_CASE("the projected loss is the loss of the projection, in chunks") {
  const double epsilon = GENERATE(0.0, 0.1);
  const auto labels = some_labels(kRows, kClasses);
  const auto states = variable({kRows, kSize}, "states"), weight = variable({kClasses, kSize}, "weight");
  const auto loss = projected_loss(states, weight, labels, epsilon);
  const auto expected = label_smoothed_loss(states.mm(weight.t()), labels, epsilon);
  CHECK(loss.smoothed.item<double>() == Approx(expected.smoothed.item<double>()).epsilon(1e-12));
  CHECK(loss.nll.item<double>() == Approx(expected.nll.item<double>()).epsilon(1e-12));
  CHECK_FALSE(loss.nll.requires_grad());

  const auto gradients = torch::autograd::grad({loss.smoothed * 0.25}, {states, weight});
  const auto wanted = torch::autograd::grad({expected.smoothed * 0.25}, {states, weight});
  CHECK(difference(gradients[0], wanted[0]) < 1e-12);
  CHECK(difference(gradients[1], wanted[1]) < 1e-10);
}

TEST_CASE("the projected loss's gradients agree with finite differences") {
  torch::manual_seed(1);
  const auto labels = some_labels(600, kClasses);
  const auto states = variable({600, kSize}, "states"), weight = variable({kClasses, kSize}, "weight");
  test::check_gradients([&] { return projected_loss(states, weight, labels, 0.1).smoothed; },
                        {states, weight});
}

TEST_CASE("the projected loss with a bias is the loss of the projection with it") {
  const auto labels = some_labels(kRows, kClasses);
  for (const auto type : {torch::kDouble, torch::kFloat}) {
    const auto leaf = [&](at::IntArrayRef size, const char* name) {
      return test::pattern(size, name).to(type).requires_grad_();
    };
    const auto states = leaf({kRows, kSize}, "states"), weight = leaf({kClasses, kSize}, "weight"),
               bias = leaf({kClasses}, "bias");
    const auto loss = projected_loss(states, weight, labels, 0.1, bias);
    const auto expected = label_smoothed_loss(states.mm(weight.t()) + bias, labels, 0.1);
    const double tolerance = type == torch::kDouble ? 1e-10 : 2e-3;
    CHECK(loss.smoothed.item<double>() == Approx(expected.smoothed.item<double>()).epsilon(1e-6));
    CHECK(loss.nll.item<double>() == Approx(expected.nll.item<double>()).epsilon(1e-6));
    const auto gradients = torch::autograd::grad({loss.smoothed}, {states, weight, bias});
    const auto wanted = torch::autograd::grad({expected.smoothed}, {states, weight, bias});
    for (std::size_t i = 0; i < 3; ++i) CHECK(difference(gradients[i], wanted[i]) < tolerance);
  }
  const auto states = variable({600, kSize}, "states"), weight = variable({kClasses, kSize}, "weight"),
             bias = variable({kClasses}, "bias");
  test::check_gradients(
      [&] { return projected_loss(states, weight, some_labels(600, kClasses), 0.1, bias).smoothed; },
      {states, weight, bias});
  const auto bias_alone = [&](const torch::Tensor& s, const torch::Tensor& w) {
    return torch::autograd::grad({projected_loss(s, w, some_labels(600, kClasses), 0.1, bias).smoothed},
                                 {bias})[0];
  };
  CHECK(torch::equal(bias_alone(states, weight), bias_alone(states.detach(), weight.detach())));
}

TEST_CASE("states behind the labels have no loss, and their gradient is zero") {
  constexpr std::int64_t rows = kRows;
  const double epsilon = GENERATE(0.0, 0.1);
  const std::int64_t asked =
      rows - GENERATE(1, 40, 1700);  // of the last, nothing is asked of the third chunk
  const auto type = GENERATE(torch::kDouble, torch::kFloat);
  const auto labels = some_labels(asked, kClasses);
  torch::manual_seed(1);
  const auto leaf = [&](at::IntArrayRef size) { return torch::randn(size, type).requires_grad_(); };
  const auto states = leaf({rows, kSize}), weight = leaf({kClasses, kSize}), bias = leaf({kClasses});
  const auto own = states.detach().narrow(0, 0, asked).requires_grad_();
  // The CPU's kernels compute fp32, which need a label for each row that they read.
  const bool marked = GENERATE(false, true) && type == torch::kDouble;
  const auto nobody = torch::full({rows - asked}, -1, torch::kLong);
  const auto loss = projected_loss(states, weight, marked ? torch::cat({labels, nobody}) : labels, epsilon,
                                   bias),
             expected = projected_loss(own, weight, labels, epsilon, bias);
  const double tolerance = type == torch::kDouble ? 1e-12 : 1e-5;
  CHECK(loss.smoothed.item<double>() == Approx(expected.smoothed.item<double>()).epsilon(tolerance));
  CHECK(loss.nll.item<double>() == Approx(expected.nll.item<double>()).epsilon(tolerance));
  const auto found = torch::autograd::grad({loss.smoothed}, {states, weight, bias}),
             wanted = torch::autograd::grad({expected.smoothed}, {own, weight, bias});
  const auto check = [&](const torch::Tensor& a, const torch::Tensor& b) {
    CHECK((a - b).norm().item<double>() <= tolerance * b.norm().item<double>());
  };
  check(found[0].narrow(0, 0, asked), wanted[0]);
  CHECK(found[0].narrow(0, asked, rows - asked).abs().max().item<double>() == 0);
  check(found[1], wanted[1]);
  check(found[2], wanted[2]);
}

TEST_CASE("only one of states and weight may need a gradient") {
  const auto labels = some_labels(5, kClasses);
  const auto states = variable({5, kSize}, "states"), weight = variable({kClasses, kSize}, "weight");
  const auto both =
      torch::autograd::grad({projected_loss(states, weight, labels, 0.1).smoothed}, {states, weight});
  const auto of_states =
      torch::autograd::grad({projected_loss(states, weight.detach(), labels, 0.1).smoothed}, {states});
  const auto of_weight =
      torch::autograd::grad({projected_loss(states.detach(), weight, labels, 0.1).smoothed}, {weight});
  CHECK(torch::equal(of_states[0], both[0]));
  CHECK(torch::equal(of_weight[0], both[1]));
}

TEST_CASE("without gradients the projected loss gives the same values") {
  const auto labels = some_labels(kRows, kClasses);
  const auto states = variable({kRows, kSize}, "states"), weight = variable({kClasses, kSize}, "weight");
  const auto with = projected_loss(states, weight, labels, 0.1);
  const torch::NoGradGuard no_gradients;
  const auto without = projected_loss(states, weight, labels, 0.1);
  CHECK(torch::equal(with.smoothed, without.smoothed));
  CHECK(torch::equal(with.nll, without.nll));
  CHECK_FALSE(without.smoothed.requires_grad());
}

TEST_CASE("under bf16 the loss stays close to fp32 and weights get fp32 gradients") {
  const auto labels = some_labels(kRows, kClasses);
  const auto states = test::pattern({kRows, kSize}, "states").to(torch::kFloat).requires_grad_();
  const auto weight = test::pattern({kClasses, kSize}, "weight").to(torch::kFloat).requires_grad_();
  const auto exact = projected_loss(states, weight, labels, 0.1);
  const auto wanted = torch::autograd::grad({exact.smoothed}, {states, weight});

  const bool with_bias = GENERATE(false, true);
  const auto bias = with_bias ? torch::zeros({kClasses}, torch::requires_grad()) : torch::Tensor();
  const auto loss = projected_loss(states.to(torch::kBFloat16), weight, labels, 0.1, bias);
  if (with_bias) {
    const auto rounded = torch::autograd::grad({loss.smoothed}, {bias}, {}, /*retain_graph=*/true)[0];
    const auto sums = torch::autograd::grad(
        {label_smoothed_loss(states.mm(weight.t()) + bias, labels, 0.1).smoothed}, {bias})[0];
    CHECK(rounded.scalar_type() == torch::kFloat);
    CHECK((rounded - sums).norm().item<double>() < 0.01 * sums.norm().item<double>());
  }
  CHECK(loss.smoothed.scalar_type() == torch::kDouble);
  CHECK(loss.smoothed.item<double>() == Approx(exact.smoothed.item<double>()).epsilon(2e-3));
  CHECK(loss.nll.item<double>() == Approx(exact.nll.item<double>()).epsilon(2e-3));
  CHECK(loss.nll.item<double>() != exact.nll.item<double>());  // it was bf16 indeed
  const auto gradients = torch::autograd::grad({loss.smoothed}, {states, weight});
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(gradients[i].scalar_type() == torch::kFloat);
    CHECK((gradients[i] - wanted[i]).norm().item<double>() < 0.01 * wanted[i].norm().item<double>());
  }
}

TEST_CASE("in bf16 the gradients of a mean have the right size") {
  // 1 / 1020 lies half-way between two numbers of bf16: rounded to one it is wrong by 0.39 %.
  constexpr std::int64_t rows = 1020;
  const auto labels = some_labels(rows, kClasses);
  const auto states = test::pattern({rows, kSize}, "states").to(torch::kBFloat16).requires_grad_();
  const auto leaf = [](at::IntArrayRef size, const char* name) {
    return test::pattern(size, name).to(torch::kBFloat16).to(torch::kFloat).requires_grad_();
  };
  const auto weight = leaf({kClasses, kSize}, "weight"), bias = leaf({kClasses}, "bias");
  const auto loss = projected_loss(states, weight, labels, 0.1, bias);
  const auto found = torch::autograd::grad({loss.smoothed / rows}, {states, weight, bias});

  // The same by its formula in fp64, without autograd: softmax - target, over the number of rows.
  const auto x = states.detach().to(torch::kDouble), w = weight.detach().to(torch::kDouble);
  auto delta = torch::softmax(x.mm(w.t()) + bias.detach().to(torch::kDouble), 1) - 0.1 / kClasses;
  delta.scatter_add_(1, labels.unsqueeze(1), torch::full({rows, 1}, -0.9, torch::kDouble));
  delta /= rows;
  const torch::Tensor wanted[] = {delta.mm(w), delta.t().mm(x), delta.sum(0)};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto size = (found[i].to(torch::kDouble) * wanted[i]).sum() / wanted[i].square().sum();
    INFO("gradient " << i);
    CHECK(size.item<double>() == Approx(1.0).margin(1e-3));
  }
}

TEST_CASE("a device holds as many rows of logits as memory allows, a CPU as its cache does") {
  for (const std::int64_t vocabulary : {37000, 40960})
    CHECK(projected_rows_at_once(vocabulary, false) == 8192);
  CHECK(projected_rows_at_once(250112, false) == 1280);  // of 1341, whole tiles
  CHECK(projected_rows_at_once(std::int64_t{1} << 40, false) == 128);
  CHECK(projected_rows_at_once(37000, true) == 226);
}

}  // namespace
}  // namespace transformer::ops
