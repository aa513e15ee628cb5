#include "transformer/nn/relative_positions.h"

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/kernels/relative_bucket.h"
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
  const auto places = module->whole(torch::zeros({2, 5, 8}));
  CHECK_FALSE(places.rotation.defined());
  CHECK_FALSE(places.bias.defined());
  CHECK(module->parameters().empty());
}

TEST_CASE("a bias is the weight of the bucket of the distance") {
  for (const bool both_sides : {true, false}) {
    auto module = make(nn::Positions::bias, both_sides);
    const auto bias = module->whole(torch::zeros({2, 150, 8})).bias;  // beyond the farthest distance, too
    REQUIRE(bias.sizes() == torch::IntArrayRef({3, 150, 150}));
    for (const auto& [t, s] : {std::pair{0, 0}, {5, 3}, {3, 5}, {149, 0}, {0, 149}, {77, 60}}) {
      const auto bucket = kernels::relative_bucket(s - t, both_sides);
      CHECK(difference(bias.select(1, t).select(1, s), module->weight[bucket]) == 0.0);
    }
  }
}

TEST_CASE("the last position is told what the whole sequence's last is") {
  const std::int64_t length = 140;
  const auto keys = torch::zeros({6, 2, length - 1, 4});
  const auto position = torch::full({}, length - 1, torch::kLong);
  {
    auto module = make(nn::Positions::bias, false);
    CHECK(difference(module->last(position, keys).bias.squeeze(1),
                     module->whole(torch::zeros({1, length, 8})).bias.select(1, length - 1)) == 0.0);
    CHECK(difference(module->last(torch::zeros({}, torch::kLong), {}).bias[0][0][0], module->weight[0][0]) ==
          0.0);
  }
  auto module = make(nn::Positions::rotary, false);
  CHECK(difference(module->last(position, keys).rotation,
                   module->whole(torch::zeros({1, length, 8})).rotation.slice(1, length - 1)) == 0.0);
}
