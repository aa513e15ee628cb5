#include "transformer/nn/encoder.h"

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "tests/nn/constants_torch.h"
#include "tests/nn/stack.h"

using namespace transformer;
using nn::NormPlacement;
using test::difference;

TEST_CASE("an encoder layer and its gradients equal torch.nn.TransformerEncoderLayer's") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto module = test::with_pattern(nn::EncoderLayer(test::tiny_stack(norm)));
    const auto x = test::variable({2, 4, 8}, "x");
    test::check_reference(*module, module->forward(x, test::source_mask()), {x},
                          norm == NormPlacement::post ? test::encoder_layer_post : test::encoder_layer_pre);
  }
}

TEST_CASE("an encoder is its layers one after the other, with a last norm when they are pre-norm") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto module = test::with_pattern(nn::Encoder(test::tiny_stack(norm, 3)));
    REQUIRE(module->layers->size() == 3);
    CHECK(static_cast<bool>(module->norm) == (norm == NormPlacement::pre));
    const auto x = test::pattern({2, 4, 8}, "x");
    auto expected = x;
    for (std::size_t i = 0; i < 3; ++i)
      expected = module->layers->at<nn::EncoderLayerImpl>(i).forward(expected, test::source_mask());
    if (norm == NormPlacement::pre) expected = module->norm(expected);
    CHECK(difference(module->forward(x, test::source_mask()), expected) < 1e-13);
  }
}

TEST_CASE("the encoder's output at tokens does not depend on the padding") {
  auto module = test::with_pattern(nn::Encoder(test::tiny_stack(NormPlacement::post, 2)));
  const auto x = test::pattern({2, 4, 8}, "x");
  const auto alone = module->forward(x.slice(0, 1).slice(1, 0, 3), torch::ones({1, 1, 1, 3}, torch::kBool));
  auto other = x.clone();
  other[1][3].fill_(7.0);
  CHECK(difference(module->forward(x, test::source_mask())[1].slice(0, 0, 3), alone[0]) < 1e-12);
  CHECK(difference(module->forward(other, test::source_mask())[1].slice(0, 0, 3), alone[0]) < 1e-12);
}
