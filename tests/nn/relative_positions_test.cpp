#include "transformer/nn/relative_positions.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/kernels/relative_bucket.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/rotary.h"

using namespace transformer;
using test::difference;

namespace {

nn::RelativePositions make(nn::Positions positions, bool both_sides) {
  nn::RelativePositions module(
      nn::RelativePositionsOptions{.positions = positions, .heads = 3, .d_k = 4, .both_sides = both_sides});
  const torch::NoGradGuard no_gradients;
  torch::manual_seed(1);
  if (module->weight.defined()) module->weight.normal_();
  return module;
}

}  // namespace

TEST_CASE("positions that enter with the embeddings tell self-attention nothing") {
  auto module = make(nn::Positions::interleaved, true);
  const auto places = module->of(torch::zeros({2, 5, 8}));
  CHECK_FALSE(places.rotation.defined());
  CHECK_FALSE(places.bias.defined());
  CHECK(module->parameters().empty());
}

TEST_CASE("a bias is the weight of the bucket of the distance") {
  for (const bool both_sides : {true, false}) {
    auto module = make(nn::Positions::bias, both_sides);
    const auto bias = module->of(torch::zeros({2, 150, 8})).bias;  // beyond the farthest distance, too
    REQUIRE(bias.sizes() == torch::IntArrayRef({3, 150, 150}));
    for (const auto& [t, s] : {std::pair{0, 0}, {5, 3}, {3, 5}, {149, 0}, {0, 149}, {77, 60}}) {
      const auto bucket = kernels::relative_bucket(s - t, both_sides);
      CHECK(difference(bias.select(1, t).select(1, s), module->weight[bucket]) == 0.0);
    }
  }
}

// The slopes of the paper's text: of 8 heads 1/2, 1/4, … 1/256; of 16 the sequence that begins at 1/√2.
TEST_CASE("alibi falls with the distance, to either side, at a slope of each head's") {
  for (const bool both_sides : {true, false}) {
    for (const std::int64_t heads : {8, 16, 3}) {
      nn::RelativePositions module(nn::RelativePositionsOptions{
          .positions = nn::Positions::alibi, .heads = heads, .d_k = 4, .both_sides = both_sides});
      CHECK(module->parameters().empty());
      const auto bias = module->of(torch::zeros({2, 300, 8})).bias;
      REQUIRE(bias.sizes() == torch::IntArrayRef({heads, 300, 300}));
      CHECK(bias.scalar_type() == torch::kFloat);
      const auto at = [&](std::int64_t head, std::int64_t t, std::int64_t s) {
        return bias[head][t][s].item<double>();
      };
      CHECK(at(heads - 1, 4, 7) == -3.0 / 256);
      CHECK(at(heads - 1, 299, 0) == -299.0 / 256);
      CHECK(at(0, 5, 5) == 0.0);
      if (heads == 8) {
        CHECK(at(0, 5, 3) == -1.0);
        CHECK(at(0, 3, 5) == -1.0);
        CHECK(at(1, 200, 100) == -25.0);
        CHECK(at(2, 0, 10) == -1.25);
      }
      if (heads == 16) {
        CHECK(at(0, 2, 0) == Approx(-std::sqrt(2.0)));
        CHECK(at(1, 2, 0) == -1.0);
      }
      if (heads == 3) CHECK(at(0, 0, 1) == Approx(-0.1574901));  // 2^(-8/3)
    }
  }
}

TEST_CASE("what alibi makes of attention where all keys are alike, by hand") {
  nn::RelativePositions module(nn::RelativePositionsOptions{
      .positions = nn::Positions::alibi, .heads = 8, .d_k = 4, .both_sides = true});
  const auto x = torch::zeros({1, 3, 8}), heads = torch::zeros({1, 8, 3, 4});
  const auto weights = ops::attention_weights(heads, heads, {}, module->of(x).bias)[0];
  // Head 0 of the first query: e^0, e^(-1/2), e^-1 of their sum 1.974410; head 1 of the middle one: e^(-1/4)
  // on both sides, of 2.557602.
  CHECK(difference(weights[0][0], torch::tensor({0.506480, 0.307196, 0.186324})) < 1e-6);
  CHECK(difference(weights[1][1], torch::tensor({0.304504, 0.390991, 0.304504})) < 1e-6);
}

TEST_CASE("the last position is told what the whole sequence's last is") {
  const std::int64_t length = 140;
  const auto keys = torch::zeros({6, 2, length - 1, 4});
  const auto position = torch::full({}, length - 1, torch::kLong);
  {
    auto module = make(nn::Positions::bias, false);
    CHECK(difference(module->last(position, keys).bias.squeeze(1),
                     module->of(torch::zeros({1, length, 8})).bias.select(1, length - 1)) == 0.0);
    CHECK(difference(module->last(torch::zeros({}, torch::kLong), {}).bias[0][0][0], module->weight[0][0]) ==
          0.0);
  }
  {
    auto module = make(nn::Positions::alibi, false);
    CHECK(difference(module->last(position, keys).bias.squeeze(1),
                     module->of(torch::zeros({1, length, 8})).bias.select(1, length - 1)) == 0.0);
    CHECK(module->last(torch::zeros({}, torch::kLong), {}).bias[0][0][0].item<double>() == 0.0);
  }
  auto module = make(nn::Positions::rotary, false);
  CHECK(difference(module->last(position, keys).rotation,
                   module->of(torch::zeros({1, length, 8})).rotation.slice(1, length - 1)) == 0.0);
}

TEST_CASE("what is told of all steps at once is what each step is told") {
  for (const auto positions :
       {nn::Positions::interleaved, nn::Positions::rotary, nn::Positions::bias, nn::Positions::alibi}) {
    INFO(nn::name_of(positions));
    auto module = make(positions, false);
    const auto all = module->steps(torch::arange(150));
    for (const std::int64_t t : {0, 1, 70, 149}) {
      const auto one = module->last(torch::tensor(t), t == 0 ? torch::Tensor() : torch::zeros({2, 3, t, 4}));
      REQUIRE(all.rotation.defined() == one.rotation.defined());
      REQUIRE(all.bias.defined() == one.bias.defined());
      if (one.rotation.defined()) CHECK(difference(all.rotation.slice(1, t, t + 1), one.rotation) == 0.0);
      if (one.bias.defined()) CHECK(difference(all.bias.slice(2, 149 - t), one.bias) == 0.0);
    }
  }
}
