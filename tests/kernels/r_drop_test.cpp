#include "transformer/kernels/r_drop.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {
namespace {

using test::data;
namespace F = torch::nn::functional;

struct Given {
  torch::Tensor first, second, labels;
  double epsilon = 0, alpha = 0;
};

struct Expected {
  double smoothed = 0, nll = 0;
  torch::Tensor first, second;  ///< gradients
};

/// By PyTorch's own functions, in fp64.
Expected expect(const Given& given) {
  const auto leaf = [](const torch::Tensor& x) { return x.to(torch::kDouble).requires_grad_(); };
  const auto a = leaf(given.first), b = leaf(given.second);
  const auto cross_entropy = [&](const torch::Tensor& x, double epsilon) {
    return F::cross_entropy(x, given.labels,
                            F::CrossEntropyFuncOptions().reduction(torch::kSum).label_smoothing(epsilon));
  };
  const auto divergence = [](const torch::Tensor& of, const torch::Tensor& from) {
    return F::kl_div(F::log_softmax(from, 1), F::softmax(of, 1),
                     F::KLDivFuncOptions().reduction(torch::kSum));
  };
  const auto loss = (cross_entropy(a, given.epsilon) + cross_entropy(b, given.epsilon)) / 2 +
                    given.alpha / 4 * (divergence(a, b) + divergence(b, a));
  loss.backward();
  const auto nll = (cross_entropy(a, 0) + cross_entropy(b, 0)) / 2;
  return {loss.item<double>(), nll.item<double>(), a.grad(), b.grad()};
}

struct DropSums {
  double smoothed = 0, nll = 0;
};

template <typename T>
DropSums run(Isa isa, const Given& given, bool gradient) {
  DropSums sums;
  const RDrop<T> rows{.begin = 0,
                      .end = given.first.size(0),
                      .width = given.first.size(1),
                      .labels = given.labels.const_data_ptr<std::int64_t>(),
                      .epsilon = static_cast<float>(given.epsilon),
                      .alpha = static_cast<float>(given.alpha),
                      .gradient = gradient,
                      .first = data<T>(given.first),
                      .second = data<T>(given.second),
                      .smoothed = &sums.smoothed,
                      .nll = &sums.nll};
  if constexpr (std::is_same_v<T, float>)
    r_drop(isa).run(rows);
  else
    r_drop(isa).run_bf16(rows);
  return sums;
}

Given of_width(std::int64_t width, double epsilon, double alpha) {
  auto first = torch::randn({5, width}) * 3;
  auto second = first + torch::randn({5, width});
  return {first, second, torch::randint(width, {5}, torch::kLong), epsilon, alpha};
}

}  // namespace

TEST_CASE("the loss of two passes and its gradients are PyTorch's") {
  torch::manual_seed(3);
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {4, 16, 37, 1000}) {
      for (const auto& [epsilon, alpha] : {std::pair(0.0, 0.0), std::pair(0.1, 0.0), std::pair(0.1, 5.0)}) {
        INFO("level " << static_cast<int>(isa) << ", width " << width << ", " << epsilon << ", " << alpha);
        auto given = of_width(width, epsilon, alpha);
        const auto expected = expect(given);
        const auto before = std::pair(given.first.clone(), given.second.clone());
        const auto alone = run<float>(isa, given, false);
        CHECK(torch::equal(given.first, before.first));
        CHECK(torch::equal(given.second, before.second));
        CHECK(alone.smoothed == Approx(expected.smoothed).epsilon(1e-5));
        CHECK(alone.nll == Approx(expected.nll).epsilon(1e-5));
        const auto sums = run<float>(isa, given, true);
        CHECK(sums.smoothed == alone.smoothed);
        CHECK(torch::allclose(given.first.to(torch::kDouble), expected.first, 1e-4, 2e-6));
        CHECK(torch::allclose(given.second.to(torch::kDouble), expected.second, 1e-4, 2e-6));

        Given half = of_width(width, epsilon, alpha);
        half.first = half.first.to(torch::kBFloat16);
        half.second = half.second.to(torch::kBFloat16);
        const auto of_half = expect(half);
        const auto half_sums = run<Bf16>(isa, half, true);
        CHECK(half_sums.smoothed == Approx(of_half.smoothed).epsilon(1e-5));
        CHECK(half_sums.nll == Approx(of_half.nll).epsilon(1e-5));
        CHECK(torch::allclose(half.first.to(torch::kDouble), of_half.first, 1e-2, 1e-5));
        CHECK(torch::allclose(half.second.to(torch::kDouble), of_half.second, 1e-2, 1e-5));
      }
    }
  }
}

TEST_CASE("two passes with logits far apart, and below zero altogether, neither overflow nor give NaN") {
  for (const auto isa : test::levels()) {
    Given given{.first = torch::tensor({{200.0F, -200.0F, 0.0F}, {-150.0F, -151.0F, -152.0F}}),
                .second = torch::tensor({{-200.0F, 200.0F, 0.0F}, {-152.0F, -151.0F, -150.0F}}),
                .labels = torch::tensor({0, 2}),
                .epsilon = 0.1,
                .alpha = 5};
    const auto expected = expect(given);
    const auto sums = run<float>(isa, given, true);
    CHECK(sums.smoothed == Approx(expected.smoothed).epsilon(1e-5));
    CHECK(torch::allclose(given.first.to(torch::kDouble), expected.first, 1e-4, 1e-5));
    CHECK(torch::allclose(given.second.to(torch::kDouble), expected.second, 1e-4, 1e-5));
    given.first[0][1] = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(run<float>(isa, given, true).smoothed));
  }
}

}  // namespace transformer::kernels
