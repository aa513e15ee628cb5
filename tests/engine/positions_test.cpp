#include "transformer/engine/positions.h"

#include <torch/torch.h>

#include <algorithm>

#include "tests/catch.h"
#include "tests/engine/models.h"
#include "transformer/base/error.h"
#include "transformer/translation/engine_model.h"

namespace transformer::engine {

TEST_CASE("positions reach as far as they are asked for") {
  auto options = test::model_cases().front().options;
  const auto packed = translation::pack(test::random_model(options, 20), Precision::fp32);
  PositionTable table(packed, packed.source_positions);
  for (const std::int64_t length : {3, 256, 257, 1000, 600}) {
    const float* found = table.reach(length);
    const auto expected = nn::sinusoids(options.positions, length, options.d_model);
    for (std::int64_t i = 0; i < options.d_model; ++i)
      CHECK(found[(length - 1) * packed.shape().width + i] == expected[length - 1][i].item<float>());
  }
  options.positions = nn::Positions::learned;
  const auto learned = translation::pack(test::random_model(options, 20), Precision::fp32);
  PositionTable learned_table(learned, learned.target_positions);
  CHECK(learned_table.reach(40) == learned.target_positions.values.data());
  CHECK_THROWS_AS(learned_table.reach(41), InputError);
}

TEST_CASE("the bias of distances is the modules', as far as it is asked for") {
  auto options = test::model_cases().front().options;
  CHECK(BiasTable(options, {}, false).at(3, 5).first == nullptr);
  CHECK(BiasTable(options, {}, false).at(3, 5).from(2).first == nullptr);
  options.positions = GENERATE(nn::Positions::alibi, nn::Positions::bias);
  const bool both_sides = GENERATE(false, true);
  options.heads = 3;
  nn::RelativePositions module(nn::RelativePositionsOptions{
      .positions = options.positions, .heads = 3, .d_k = options.d_k, .both_sides = both_sides});
  kernels::Buffer<float> buckets;
  if (module->weight.defined()) {
    const torch::NoGradGuard no_gradients;
    module->weight.normal_();
    buckets.resize(module->weight.numel());
    std::copy_n(module->weight.data_ptr<float>(), module->weight.numel(), buckets.data());
  }
  BiasTable table(options, buckets, both_sides);
  for (const auto& [place, count] : {std::pair{0, 1}, {0, 4}, {3, 4}, {2, 9}, {299, 300}, {0, 700}}) {
    INFO(place << " of " << count);
    const auto expected = module->of(torch::zeros({1, count, 8})).bias.select(1, place).contiguous();
    const auto found = table.at(place, count);
    for (std::int64_t head = 0; head < 3; ++head)
      for (std::int64_t i = 0; i < count; ++i)
        REQUIRE(found.first[head * found.stride + i] == expected.data_ptr<float>()[head * count + i]);
    const auto last = found.from(count - 1);  // of a window of one key
    for (std::int64_t head = 0; head < 3; ++head)
      REQUIRE(last.first[head * last.stride] == expected.data_ptr<float>()[(head + 1) * count - 1]);
  }
}

}  // namespace transformer::engine
