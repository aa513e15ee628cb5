#include "transformer/kernels/bias_relu.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {

using test::data;
using test::floats;

TEST_CASE("bias and ReLU, in place, and their gradients") {
  torch::manual_seed(4);
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {3, 16, 50}) {
      INFO("level " << static_cast<int>(isa) << ", width " << width);
      const auto x = torch::randn({6, width}), dy = torch::randn({6, width});
      const auto bias = torch::randn({width});
      const auto& k = bias_relu(isa);
      auto y = x.clone(), dx = dy.clone(), db = torch::zeros({width});
      k.forward({0, 6, width, floats(bias), true, floats(y)});
      k.backward({0, 6, width, floats(y), floats(dx), floats(db)});
      CHECK(torch::equal(y, torch::relu(x + bias)));
      CHECK(torch::equal(dx, dy * y.gt(0)));
      CHECK(torch::allclose(db, dx.sum(0), 1e-5, 1e-6));

      auto plain = x.clone();
      k.forward({0, 6, width, floats(bias), false, floats(plain)});
      CHECK(torch::equal(plain, x + bias));
      auto untouched = dy.clone();
      db.zero_();
      k.backward({0, 6, width, nullptr, floats(untouched), floats(db)});
      CHECK(torch::equal(untouched, dy));
      CHECK(torch::allclose(db, dy.sum(0), 1e-5, 1e-6));

      auto half = x.to(torch::kBFloat16), half_gradient = dy.to(torch::kBFloat16);
      const auto expected = torch::relu(half.to(torch::kFloat) + bias).to(torch::kBFloat16);
      k.forward_bf16({0, 6, width, floats(bias), true, data<Bf16>(half)});
      CHECK(torch::equal(half, expected));
      db.zero_();
      k.backward_bf16({0, 6, width, data<Bf16>(half), data<Bf16>(half_gradient), floats(db)});
      CHECK(torch::equal(half_gradient, dy.to(torch::kBFloat16) * half.gt(0)));
      CHECK(torch::allclose(db, half_gradient.to(torch::kFloat).sum(0), 1e-5, 1e-6));
    }
  }
}

TEST_CASE("ReLU keeps NaN") {
  for (const auto isa : test::levels()) {
    auto x = torch::full({1, 2}, std::numeric_limits<float>::quiet_NaN());
    const auto bias = torch::zeros({2});
    bias_relu(isa).forward({0, 1, 2, floats(bias), true, floats(x)});
    CHECK(x.isnan().all().item<bool>());
  }
}

}  // namespace transformer::kernels
