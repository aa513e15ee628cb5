#include "transformer/kernels/add_norm.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"
#include "transformer/kernels/packed_weight.h"

namespace transformer::kernels {

using test::floats;

TEST_CASE("the sum and its norm are what LibTorch computes") {
  torch::manual_seed(1);
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {2, 16, 40, 64, 100, 512}) {
      INFO("level " << static_cast<int>(isa) << ", width " << width);
      const auto stride = padded(width);
      const auto pad = [&](const torch::Tensor& x) {
        return torch::constant_pad_nd(x, {0, stride - width}).contiguous();
      };
      const auto x = torch::randn({5, width}) + 2, z = torch::randn({5, width});
      const auto weight = torch::randn({width}), bias = torch::randn({width});
      const auto expected = torch::layer_norm((x + z).to(torch::kDouble), {width}, weight.to(torch::kDouble),
                                              bias.to(torch::kDouble), 1e-3);
      const auto px = pad(x), pz = pad(z), pw = pad(weight), pb = pad(bias);
      const auto sum = torch::empty({5, stride}), y = torch::empty({5, stride});
      AddNorm call{5,          width,      stride,     1e-3F,       floats(pw),
                   floats(pb), floats(px), floats(pz), floats(sum), floats(y)};
      add_norm(isa).add_norm(call);
      CHECK(torch::allclose(y.slice(1, 0, width).to(torch::kDouble), expected, 1e-5, 1e-5));
      CHECK(y.slice(1, width).eq(0).all().item<bool>());
      CHECK(torch::equal(sum, px + pz));

      // In place, and without a second term.
      const auto copy = px.clone();
      call.x = call.y = floats(copy);
      call.sum = nullptr;
      add_norm(isa).add_norm(call);
      CHECK(torch::equal(copy, y));
      call.x = floats(sum);
      call.z = nullptr;
      add_norm(isa).add_norm(call);
      CHECK(torch::equal(copy, y));
    }
  }
}

}  // namespace transformer::kernels
