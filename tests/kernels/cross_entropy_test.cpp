#include "transformer/kernels/cross_entropy.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {
namespace {

using test::data;

struct Sums {
  double smoothed = 0, nll = 0;
};

template <typename T>
Sums run(Isa isa, const torch::Tensor& logits, const torch::Tensor& labels, float epsilon, bool gradient) {
  Sums sums;
  const CrossEntropy<T> rows{0,        logits.size(0), logits.size(1),  labels.const_data_ptr<std::int64_t>(),
                             epsilon,  gradient,       data<T>(logits), &sums.smoothed,
                             &sums.nll};
  if constexpr (std::is_same_v<T, float>)
    cross_entropy(isa).run(rows);
  else
    cross_entropy(isa).run_bf16(rows);
  return sums;
}

}  // namespace

TEST_CASE("label-smoothed cross-entropy and its gradient are PyTorch's") {
  torch::manual_seed(3);
  namespace F = torch::nn::functional;
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {4, 16, 37, 1000}) {
      for (const double epsilon : {0.0, 0.1}) {
        INFO("level " << static_cast<int>(isa) << ", width " << width << ", epsilon " << epsilon);
        const auto logits = torch::randn({5, width}) * 4;
        const auto labels = torch::randint(width, {5}, torch::kLong);
        const auto expect = [&](const torch::Tensor& x) {
          const auto leaf = x.to(torch::kDouble).requires_grad_();
          const auto options = F::CrossEntropyFuncOptions().reduction(torch::kSum).label_smoothing(epsilon);
          const auto loss = F::cross_entropy(leaf, labels, options);
          loss.backward();
          const auto nll =
              F::cross_entropy(leaf, labels, F::CrossEntropyFuncOptions().reduction(torch::kSum));
          return std::tuple(loss.item<double>(), nll.item<double>(), leaf.grad());
        };
        {
          auto x = logits.clone();
          const auto [loss, nll, gradient] = expect(x);
          const auto unchanged = run<float>(isa, x, labels, static_cast<float>(epsilon), false);
          CHECK(torch::equal(x, logits));
          CHECK(unchanged.smoothed == Approx(loss).epsilon(1e-5));
          CHECK(unchanged.nll == Approx(nll).epsilon(1e-5));
          run<float>(isa, x, labels, static_cast<float>(epsilon), true);
          CHECK(torch::allclose(x.to(torch::kDouble), gradient, 1e-5, 1e-6));
        }
        auto half = logits.to(torch::kBFloat16);
        const auto [loss, nll, gradient] = expect(half);
        const auto sums = run<Bf16>(isa, half, labels, static_cast<float>(epsilon), true);
        CHECK(sums.smoothed == Approx(loss).epsilon(1e-5));
        CHECK(sums.nll == Approx(nll).epsilon(1e-5));
        CHECK(torch::allclose(half.to(torch::kDouble), gradient, 1e-2, 1e-5));
      }
    }
  }
}

TEST_CASE("logits far apart neither overflow nor lose the loss; NaN is passed on") {
  for (const auto isa : test::levels()) {
    auto logits = torch::tensor({{1000.0F, -1000.0F, 0.0F}, {88.0F, 89.0F, -3.0F}});
    const auto labels = torch::tensor({1, 0}, torch::kLong);
    const auto sums = run<float>(isa, logits, labels, 0.0F, true);
    CHECK(sums.nll == Approx(2000.0 + 1.3132616875182228));  // log(1 + e) for the second row
    CHECK(logits[0][0].item<float>() == Approx(1.0));
    CHECK(logits[0][1].item<float>() == Approx(-1.0));
    auto bad = torch::tensor({{0.0F, std::numeric_limits<float>::quiet_NaN(), 1.0F}});
    CHECK(std::isnan(run<float>(isa, bad, labels, 0.1F, true).smoothed));
  }
}

}  // namespace transformer::kernels
