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

TEST_CASE("parallel sublayers read the same, and their sum is added") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto options = test::tiny_stack(norm);
    options.parallel = true;
    auto layer = test::with_pattern(nn::EncoderLayer(options));
    CHECK(layer->feed_forward_residual.is_empty());
    const auto x = test::pattern({2, 4, 8}, "x");
    auto own_norm = layer->self_attention_residual->norm;
    const auto y = norm == NormPlacement::pre ? own_norm(x) : x;
    const auto sum =
        x + layer->self_attention(y, y, ops::AttentionMask(test::source_mask())) + layer->feed_forward(y);
    const auto expected = norm == NormPlacement::pre ? sum : own_norm(sum);
    CHECK(difference(layer->forward(x, test::source_mask()), expected) < 1e-12);
  }
}

TEST_CASE("a layer without a feed-forward network is its attention") {
  auto options = test::tiny_stack(NormPlacement::post);
  options.feed_forward.kind = nn::FeedForwardKind::none;
  auto layer = test::with_pattern(nn::EncoderLayer(options));
  CHECK(layer->feed_forward.is_empty());
  const auto x = test::pattern({2, 4, 8}, "x");
  const auto expected = layer->self_attention_residual->norm(
      x + layer->self_attention(x, x, ops::AttentionMask(test::source_mask())));
  CHECK(difference(layer->forward(x, test::source_mask()), expected) < 1e-12);
}

TEST_CASE("an encoder without positions is permutation-equivariant, one that knows them is not") {
  const auto everything = torch::ones({1, 1, 1, 5}, torch::kBool);
  const auto order = torch::tensor({3, 1, 4, 0, 2});
  const auto x = test::pattern({1, 5, 8}, "x");
  for (const auto positions :
       {nn::Positions::none, nn::Positions::rotary, nn::Positions::bias, nn::Positions::alibi}) {
    INFO(nn::name_of(positions));
    auto options = test::tiny_stack(NormPlacement::post, 2);
    options.positions = positions;
    auto module = test::with_pattern(nn::Encoder(options));
    const auto apart = difference(module->forward(x.index_select(1, order), everything),
                                  module->forward(x, everything).index_select(1, order));
    if (positions == nn::Positions::none)
      CHECK(apart < 1e-13);
    else
      CHECK(apart > 1e-3);
  }
}
