#include "transformer/kernels/packed_weight.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

namespace transformer::kernels {
namespace {

/// weight[channel][input] = 100 · channel + input
std::vector<float> numbered(std::int64_t outputs, std::int64_t inputs) {
  std::vector<float> weight;
  for (std::int64_t i = 0; i < outputs * inputs; ++i)
    weight.push_back(static_cast<float>(100 * (i / inputs) + i % inputs));
  return weight;
}

}  // namespace

TEST_CASE("weights are packed by panels of channels and groups of inputs") {
  const auto weight = numbered(70, 3);
  const auto floats = pack<float>(weight.data(), nullptr, 70, 3);
  CHECK(floats.panels == 2);
  CHECK(floats.groups == 3);
  CHECK(floats.values[0 * kPanel + 63] == 6300.0F);
  CHECK(floats.values[2 * kPanel + 5] == 502.0F);
  CHECK(floats.values[(3 + 1) * kPanel + 4] == 6801.0F);
  CHECK(floats.values[(3 + 1) * kPanel + 6] == 0.0F);  // channel 70 does not exist
  CHECK(floats.bias[69] == 0.0F);

  const auto halves = pack<Bf16>(weight.data(), weight.data(), 70, 3);
  CHECK(halves.groups == 16);                            // 64 bytes of inputs
  CHECK(halves.values[2 * 1].bits == 0x42c8);            // channel 1, input 0: 100
  CHECK(halves.values[2 * 1 + 1].bits == 0x42ca);        // channel 1, input 1: 101
  CHECK(halves.values[(kPanel + 1) * 2 + 1].bits == 0);  // input 3 does not exist
  CHECK(halves.bias[1] == 1.0F);
}

TEST_CASE("8-bit weights are multiples of their channel's scale") {
  const std::vector<float> weight{1.0F, -2.0F, 0.5F, 0.0F, 0.0F, 0.0F};
  const auto packed = pack<std::int8_t>(weight.data(), nullptr, 2, 3);
  CHECK(packed.groups == 16);
  CHECK(packed.scale[0] == 2.0F / 127);
  CHECK(packed.values[0] == 64);  // 63.5, to even
  CHECK(packed.values[1] == -127);
  CHECK(packed.values[2] == 32);
  CHECK(packed.values[3] == 0);
  CHECK(packed.compensation[0] == 128 * (64 - 127 + 32));
  CHECK(packed.scale[1] == 0.0F);
  CHECK(packed.compensation[1] == 0);

  const std::vector<float> broken{1.0F, NAN, 2.0F, INFINITY};
  const auto poisoned = pack<std::int8_t>(broken.data(), nullptr, 2, 2);
  CHECK(std::isnan(poisoned.scale[0]));
  CHECK(std::isnan(poisoned.scale[1]));
  CHECK(poisoned.values[0] == 0);
}

}  // namespace transformer::kernels
