#include "transformer/kernels/gate.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {

using test::floats;

TEST_CASE("a gate's two kinds, in place") {
  torch::manual_seed(5);
  for (const auto isa : test::levels()) {
    for (const std::int64_t count : {3, 16, 150}) {
      INFO("level " << static_cast<int>(isa) << ", count " << count);
      const auto values = torch::randn({count}), opening = torch::randn({count}) * 8.0;
      const auto exact = values.to(torch::kDouble), x = opening.to(torch::kDouble);
      auto found = values.clone();
      gate(isa).apply({count, nn::Gate::sigmoid, floats(opening), floats(found)});
      test::check_close(found, exact / (1.0 + torch::exp(-x)), 1e-6);
      found = values.clone();
      gate(isa).apply({count, nn::Gate::swish, floats(opening), floats(found)});
      test::check_close(found, exact * x / (1.0 + torch::exp(-x)), 1e-6);
    }
  }
}

TEST_CASE("a gate keeps NaN, and far beyond its ends it is open or closed") {
  for (const auto isa : test::levels()) {
    const auto opening = torch::tensor({std::nanf(""), 200.0F, -200.0F}), ones = torch::ones({3});
    auto found = ones.clone();
    gate(isa).apply({3, nn::Gate::sigmoid, floats(opening), floats(found)});
    CHECK(found.isnan()[0].item<bool>());
    CHECK(found[1].item<float>() == 1.0F);
    CHECK(found[2].item<float>() < 1e-30F);
  }
}

}  // namespace transformer::kernels
