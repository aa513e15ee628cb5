#include "transformer/kernels/dropout.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"
#include "transformer/base/random.h"

namespace transformer::kernels {
namespace {

using test::data;

/// The hash of random_mask.h, an element at a time.
std::uint32_t hash(std::uint64_t seed, std::uint32_t element) {
  auto x = element + static_cast<std::uint32_t>(seed);
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  x = (x ^ (x >> 16)) + static_cast<std::uint32_t>(seed >> 32);
  x *= 0x7feb352dU;
  return x ^ (x >> 15);
}

torch::Tensor factors_of(const DropoutMask& mask, std::int64_t rows, std::int64_t width) {
  auto factors = torch::zeros({rows, width});
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < width; ++i)
      if (hash(mask.seeds[row], static_cast<std::uint32_t>(i)) >= mask.dropped)
        factors.data_ptr<float>()[row * width + i] = mask.scale;
  return factors;
}

template <typename T>
void run(Isa isa, const Dropout<T>& call) {
  if constexpr (std::is_same_v<T, float>)
    dropout(isa).run(call);
  else
    dropout(isa).run_bf16(call);
}

template <typename T>
void check(Isa isa, const torch::Tensor& x, const DropoutMask& mask) {
  const auto rows = x.size(0), width = x.size(1);
  const auto expected =
      (x.to(torch::kFloat) * factors_of(mask, rows, width)).to(x.scalar_type());  // rounded as bf16 is
  const auto y = torch::empty_like(x);
  run<T>(isa, {0, rows, width, mask, data<T>(x), data<T>(y)});
  CHECK(torch::equal(y, expected));
  auto in_place = x.clone();
  run<T>(isa, {0, rows, width, mask, data<T>(in_place), data<T>(in_place)});
  CHECK(torch::equal(in_place, expected));
  // Some of the rows, as a thread has them: the same masks, and the others untouched.
  auto part = x.clone();
  run<T>(isa, {2, rows - 1, width, mask, data<T>(part), data<T>(part)});
  CHECK(torch::equal(part.slice(0, 2, -1), expected.slice(0, 2, -1)));
  CHECK(torch::equal(part.slice(0, 0, 2), x.slice(0, 0, 2)));
  CHECK(torch::equal(part[-1], x[-1]));
}

}  // namespace

TEST_CASE("dropout multiplies by the mask that follows from seeds, alike at each level of instructions") {
  torch::manual_seed(1);
  Random random(5);
  std::vector<std::uint64_t> seeds(6);
  for (auto& seed : seeds) seed = random.next();
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {1, 3, 16, 50, 256}) {
      for (const double p : {0.1, 0.5}) {
        INFO("level " << static_cast<int>(isa) << ", width " << width << ", dropout " << p);
        const auto mask = DropoutMask::with_probability(p, seeds.data());
        const auto x = torch::randn({6, width});
        check<float>(isa, x, mask);
        check<Bf16>(isa, x.to(torch::kBFloat16), mask);
      }
    }
  }
}

}  // namespace transformer::kernels
