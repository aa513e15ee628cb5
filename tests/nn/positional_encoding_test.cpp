#include "transformer/nn/positional_encoding.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"

using namespace transformer;
using nn::Positions;
using test::difference;

namespace {

/// One number of the table from section 3.5's formula, for the frequency 10000^-exponent.
double closed_form(double position, double exponent, bool sine) {
  const double angle = position / std::pow(10000.0, exponent);
  return sine ? std::sin(angle) : std::cos(angle);
}

}  // namespace

TEST_CASE("sinusoids have their closed form, at far positions too") {
  const std::int64_t d = 16, half = 8;
  const auto interleaved = nn::sinusoids(Positions::interleaved, 5001, d);
  const auto halves = nn::sinusoids(Positions::halves, 5001, d);
  const auto tensor2tensor = nn::sinusoids(Positions::tensor2tensor, 5001, d);
  CHECK(interleaved.sizes() == torch::IntArrayRef({5001, d}));
  CHECK(interleaved.scalar_type() == torch::kFloat);
  for (const std::int64_t position : {0, 1, 2, 10, 100, 1234, 5000})
    for (std::int64_t i = 0; i < half; ++i)
      for (const bool sine : {true, false}) {
        INFO("position " << position << ", frequency " << i << (sine ? ", sine" : ", cosine"));
        const double paper = closed_form(position, 2.0 * i / d, sine);
        CHECK(interleaved[position][2 * i + (sine ? 0 : 1)].item<double>() == Approx(paper).margin(1e-6));
        CHECK(halves[position][i + (sine ? 0 : half)].item<double>() == Approx(paper).margin(1e-6));
        CHECK(tensor2tensor[position][i + (sine ? 0 : half)].item<double>() ==
              Approx(closed_form(position, static_cast<double>(i) / (half - 1), sine)).margin(1e-6));
      }
}

TEST_CASE("halves are a permutation of the paper's dimensions, tensor2tensor's are not") {
  const auto interleaved = nn::sinusoids(Positions::interleaved, 50, 8);
  const auto order = torch::tensor({0, 2, 4, 6, 1, 3, 5, 7});
  const auto permuted = interleaved.index_select(1, order);
  CHECK(torch::equal(nn::sinusoids(Positions::halves, 50, 8), permuted));
  const auto other = nn::sinusoids(Positions::tensor2tensor, 50, 8);
  CHECK(torch::equal(other.select(1, 0), permuted.select(1, 0)));  // the highest frequency alone is the same
  CHECK(difference(other.select(1, 1), permuted.select(1, 1)) > 0.1);
}

TEST_CASE("sinusoids need an even d_model, and the smallest one works in every layout") {
  for (const auto layout : {Positions::interleaved, Positions::halves, Positions::tensor2tensor}) {
    CHECK_THROWS_WITH(nn::sinusoids(layout, 3, 7), ContainsSubstring("found 7"));
    CHECK(test::finite(nn::sinusoids(layout, 3, 2)));
  }
}

TEST_CASE("a sequence may start at any position, and the table grows as far as it must") {
  const auto table = nn::sinusoids(Positions::interleaved, 1200, 6);
  nn::PositionalEncoding module(Positions::interleaved, 6, 0);
  CHECK(module->parameters().empty());
  CHECK(module->buffers().empty());
  const auto x = torch::zeros({2, 3, 6});
  for (const std::int64_t first : {0, 5, 253, 254, 1100, 7}) {
    INFO("first " << first);
    const auto output = module(x, first);
    CHECK(output.sizes() == x.sizes());
    CHECK(torch::equal(output[1], table.slice(0, first, first + 3)));
  }
  CHECK(torch::equal(module(torch::ones({1, 1000, 6}))[0], 1.0 + table.slice(0, 0, 1000)));
}

TEST_CASE("positions are added in the type of what they are added to") {
  nn::PositionalEncoding module(Positions::halves, 6, 0);
  CHECK(module(torch::zeros({1, 4, 6}, torch::kBFloat16)).scalar_type() == torch::kBFloat16);
  CHECK(module(torch::zeros({1, 4, 6}, torch::kDouble)).scalar_type() == torch::kDouble);
}

TEST_CASE("learned positions are parameters, up to their number") {
  auto module = test::with_pattern(nn::PositionalEncoding(Positions::learned, 6, 10));
  REQUIRE(module->parameters().size() == 1);
  const auto x = test::pattern({2, 3, 6}, "x");
  CHECK(difference(module(x), x + module->weight.slice(0, 0, 3)) < 1e-15);
  CHECK(difference(module(x, 7), x + module->weight.slice(0, 7, 10)) < 1e-15);

  module(x, 4).sum().backward();
  const auto& gradient = module->weight.grad();
  CHECK(difference(gradient.slice(0, 4, 7), 2.0 * torch::ones({3, 6})) < 1e-15);
  CHECK(gradient.sum().item<double>() == Approx(36.0));

  CHECK_THROWS_AS(module(x, 8), InputError);
  CHECK_THROWS_WITH(module(x, 8), ContainsSubstring("max_positions") && ContainsSubstring("10 learned") &&
                                      ContainsSubstring("11 tokens"));
}

// Section 3.5: "for any fixed offset k, PE(pos + k) can be represented as a linear function of PE(pos)."
TEST_CASE("PE(pos + k) is one linear map of PE(pos), a rotation, for all positions") {
  constexpr std::int64_t kWidth = 16, kHalf = kWidth / 2, kLength = 300;
  for (const auto layout : {Positions::interleaved, Positions::halves, Positions::tensor2tensor}) {
    INFO(nn::name_of(layout));
    const auto table = nn::sinusoids(layout, kLength, kWidth).to(torch::kDouble);
    const bool interleaved = layout == Positions::interleaved;
    for (const std::int64_t k : {1, 7, 100}) {
      // The addition theorems give the map; its entries are those of PE(k) itself:
      // sin(a + b) = sin a cos b + cos a sin b
      // cos(a + b) = cos a cos b - sin a sin b
      auto map = torch::zeros({kWidth, kWidth}, torch::kDouble);
      for (std::int64_t i = 0; i < kHalf; ++i) {
        const auto sine = interleaved ? 2 * i : i, cosine = interleaved ? 2 * i + 1 : i + kHalf;
        map[sine][sine] = map[cosine][cosine] = table[k][cosine];
        map[cosine][sine] = table[k][sine];
        map[sine][cosine] = -table[k][sine];
      }
      const auto from = table.slice(0, 0, kLength - k), to = table.slice(0, k, kLength);
      CHECK(difference(from.matmul(map), to) < 1e-6);
      CHECK(difference(map.t().matmul(map), torch::eye(kWidth, torch::kDouble)) < 1e-6);
    }
  }
}

// The paper: "The wavelengths form a geometric progression from 2π to 10000 · 2π". By its own formula and d =
// 512 the longest is 10000^(510/512) · 2π = 9646.6 · 2π. Only tensor2tensor's formula reaches 10000 · 2π.
TEST_CASE("wavelengths are a geometric progression from 2π") {
  const double two_pi = 2 * std::acos(-1.0);
  const auto wavelengths = [&](Positions layout) {
    const auto of_one = nn::sinusoids(layout, 2, 512).to(torch::kDouble)[1];  // sin and cos of the frequency
    const auto half = torch::arange(256);
    const bool interleaved = layout == Positions::interleaved;
    const auto sine = of_one.index_select(0, interleaved ? 2 * half : half);
    const auto cosine = of_one.index_select(0, interleaved ? 2 * half + 1 : half + 256);
    return two_pi / torch::atan2(sine, cosine);
  };
  for (const auto layout : {Positions::interleaved, Positions::halves, Positions::tensor2tensor}) {
    INFO(nn::name_of(layout));
    const auto all = wavelengths(layout);
    CHECK(all[0].item<double>() == Approx(two_pi).epsilon(1e-6));
    const double longest = layout == Positions::tensor2tensor ? 10000 : 9646.6;
    CHECK(all[255].item<double>() / two_pi == Approx(longest).epsilon(1e-4));
    const auto ratios = all.slice(0, 1) / all.slice(0, 0, -1);
    CHECK(difference(ratios, ratios[0].expand_as(ratios)) < 1e-4);
  }
}

TEST_CASE("no positions add nothing") {
  nn::PositionalEncoding module(Positions::none, 6, 0);
  CHECK(module->parameters().empty());
  const auto x = torch::randn({2, 3, 6});
  CHECK(torch::equal(module(x), x));
  CHECK(torch::equal(module(x, 5), x));
}
