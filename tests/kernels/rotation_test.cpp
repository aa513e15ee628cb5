#include "transformer/kernels/rotation.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {
namespace {

/// (rows, heads, size) of complex numbers times e^(iθ), in double precision: what a rotation is.
torch::Tensor by_complex_numbers(const torch::Tensor& x, const torch::Tensor& angles) {
  const auto pairs = x.to(torch::kDouble).unflatten(-1, {-1, 2}).contiguous();
  const auto turn = torch::polar(torch::ones_like(angles), angles).unsqueeze(1);  // (rows, 1, size / 2)
  return torch::view_as_real(torch::view_as_complex(pairs) * turn).flatten(-2);
}

/// Cosines and sines as the kernel wants them: (2, rows, size)
torch::Tensor table_of(const torch::Tensor& angles) {
  const auto cosine = angles.cos(), sine = angles.sin();
  return torch::stack({torch::stack({cosine, cosine}, -1), torch::stack({-sine, sine}, -1)})
      .flatten(-2)
      .to(torch::kFloat)
      .contiguous();
}

template <typename T>
void rotate(Isa isa, const torch::Tensor& x, const torch::Tensor& table, bool one_position, float direction) {
  const auto size = table.size(-1);
  const Rotation<T> work{.rows = x.size(0),
                         .heads = x.size(1),
                         .size = size,
                         .head_stride = x.stride(1),
                         .data = test::data<T>(x),
                         .stride = x.stride(0),
                         .cosine = test::floats(table[0]),
                         .sine = test::floats(table[1]),
                         .table_stride = one_position ? 0 : size,
                         .direction = direction};
  if constexpr (std::is_same_v<T, float>)
    rotation(isa).rotate(work);
  else
    rotation(isa).rotate_bf16(work);
}

}  // namespace

TEST_CASE("a rotation is a product of complex numbers, there and back") {
  torch::manual_seed(1);
  for (const auto isa : test::levels()) {
    for (const std::int64_t size : {2, 6, 16, 40, 64}) {
      INFO("level " << static_cast<int>(isa) << ", size " << size);
      const auto angles = torch::randn({5, size / 2}, torch::kDouble) * 3;
      const auto x = torch::randn({5, 3, size});
      auto turned = x.clone();
      rotate<float>(isa, turned, table_of(angles), false, 1);
      test::check_close(turned, by_complex_numbers(x, angles), 1e-6);
      rotate<float>(isa, turned, table_of(angles), false, -1);
      test::check_close(turned, x.to(torch::kDouble), 1e-6);

      const auto half = x.to(torch::kBFloat16);
      auto half_turned = half.clone();
      rotate<Bf16>(isa, half_turned, table_of(angles), false, 1);
      test::check_close(half_turned, by_complex_numbers(half, angles), 4e-3);

      auto alike = x.clone();
      const auto one = angles.slice(0, 2, 3);
      rotate<float>(isa, alike, table_of(one), true, 1);
      test::check_close(alike, by_complex_numbers(x, one.expand({5, -1}).contiguous()), 1e-6);
    }
  }
}

TEST_CASE("a rotation leaves what is between the heads") {
  for (const auto isa : test::levels()) {
    auto x = torch::ones({2, 2, 16});
    const auto heads = x.slice(2, 0, 6);
    rotate<float>(isa, heads, table_of(torch::ones({2, 3}, torch::kDouble)), false, 1);
    CHECK(x.slice(2, 6).eq(1).all().item<bool>());
    CHECK(x.slice(2, 0, 6).ne(1).all().item<bool>());
  }
}

}  // namespace transformer::kernels
