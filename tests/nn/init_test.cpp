#include "transformer/nn/init.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/nn/embedding.h"
#include "transformer/nn/encoder.h"
#include "transformer/nn/positional_encoding.h"

using namespace transformer;

namespace {

/// Mean 0 and the given standard deviation, each within five standard errors.
void check_moments(const torch::Tensor& weight, double deviation) {
  const auto n = static_cast<double>(weight.numel());
  CHECK(weight.mean().item<double>() == Approx(0.0).margin(5 * deviation / std::sqrt(n)));
  CHECK(weight.pow(2).mean().sqrt().item<double>() == Approx(deviation).epsilon(5 / std::sqrt(2 * n)));
}

}  // namespace

TEST_CASE("embeddings and learned positions are normal, with unit variance once scaled") {
  torch::manual_seed(1);
  nn::Embedding embedding(1000, 64);
  nn::PositionalEncoding positions(nn::Positions::learned, 64, 500);
  nn::initialize(*embedding);
  nn::initialize(*positions);
  check_moments(embedding->weight, 1.0 / 8.0);
  check_moments(positions->weight, 1.0 / 8.0);
  CHECK(embedding->weight.abs().max().item<double>() > 3.0 / 8.0);  // a normal has tails
  CHECK(embedding(torch::arange(1000)).pow(2).mean().item<double>() == Approx(1.0).epsilon(0.03));
}

TEST_CASE("matrices are Glorot uniform, biases zero, norms one and zero") {
  torch::manual_seed(2);
  const nn::StackOptions options{.layers = 1,
                                 .attention = {.d_model = 64, .heads = 4, .d_k = 8, .d_v = 24, .bias = true},
                                 .feed_forward = {.d_model = 64, .d_ff = 256},
                                 .residual = {.d_model = 64, .norm = nn::NormPlacement::pre}};
  nn::Encoder encoder(options);
  nn::initialize(*encoder);
  CHECK(encoder->named_parameters().size() == 18);
  for (const auto& parameter : encoder->named_parameters()) {
    const auto& name = parameter.key();
    const auto& value = parameter.value();
    INFO(name);
    if (value.dim() == 1) {
      CHECK(value.eq(name.ends_with("norm.weight") ? 1.0 : 0.0).all().item<bool>());
      continue;
    }
    const double limit = std::sqrt(6.0 / static_cast<double>(value.size(0) + value.size(1)));
    CHECK(value.abs().max().item<double>() <= limit * (1 + 1e-6));
    CHECK(value.abs().max().item<double>() > 0.98 * limit);
    check_moments(value, limit / std::sqrt(3.0));
  }
}

TEST_CASE("the seed decides the weights") {
  const auto drawn = [](std::uint64_t seed) {
    torch::manual_seed(seed);
    nn::Embedding embedding(10, 4);
    nn::initialize(*embedding);
    return embedding->weight;
  };
  CHECK(torch::equal(drawn(3), drawn(3)));
  CHECK_FALSE(torch::equal(drawn(3), drawn(4)));
}
