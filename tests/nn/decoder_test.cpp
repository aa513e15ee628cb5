#include "transformer/nn/decoder.h"

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "tests/nn/constants_torch.h"
#include "tests/nn/stack.h"
#include "transformer/nn/masks.h"

using namespace transformer;
using nn::NormPlacement;
using test::difference;

TEST_CASE("a decoder layer and its gradients equal torch.nn.TransformerDecoderLayer's") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto module = test::with_pattern(nn::DecoderLayer(test::tiny_stack(norm)));
    const auto x = test::variable({2, 3, 8}, "x"), memory = test::variable({2, 4, 8}, "memory");
    const auto output = module->forward(x, memory, nn::causal_mask(3, torch::kCPU), test::source_mask());
    test::check_reference(*module, output, {x, memory},
                          norm == NormPlacement::post ? test::decoder_layer_post : test::decoder_layer_pre);
  }
}

TEST_CASE("a decoder is its layers one after the other, with a last norm when they are pre-norm") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto module = test::with_pattern(nn::Decoder(test::tiny_stack(norm, 2)));
    CHECK(static_cast<bool>(module->norm) == (norm == NormPlacement::pre));
    const auto x = test::pattern({2, 3, 8}, "x"), memory = test::pattern({2, 4, 8}, "memory");
    const auto causal = nn::causal_mask(3, torch::kCPU);
    auto expected = x;
    for (std::size_t i = 0; i < 2; ++i)
      expected =
          module->layers->at<nn::DecoderLayerImpl>(i).forward(expected, memory, causal, test::source_mask());
    if (norm == NormPlacement::pre) expected = module->norm(expected);
    CHECK(difference(module->forward(x, memory, causal, test::source_mask()), expected) < 1e-13);
  }
}

TEST_CASE("a decoder without a source is an encoder that looks back") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const bool parallel : {false, true}) {
      auto options = test::tiny_stack(norm, 2);
      options.parallel = parallel;
      auto encoder = test::with_pattern(nn::Encoder(options));
      options.source = false;
      auto decoder = test::with_pattern(nn::Decoder(options));
      const auto x = test::pattern({2, 3, 8}, "x");
      const auto causal = nn::causal_mask(3, torch::kCPU);
      CHECK(difference(decoder->forward(x, {}, causal, {}), encoder->forward(x, causal)) < 1e-13);
    }
  }
}

TEST_CASE("a decoder that reads its first positions at once goes on as step by step") {
  for (const bool source : {true, false}) {
    auto options = test::tiny_stack(NormPlacement::pre, 2);
    options.source = source;
    auto module = test::with_pattern(nn::Decoder(options));
    const auto memory = source ? test::pattern({2, 4, 8}, "memory") : torch::empty({2, 0, 8}, torch::kDouble);
    const auto mask = source ? test::source_mask() : torch::empty({2, 1, 1, 0}, torch::kBool);
    const auto x = test::pattern({2, 5, 8}, "x");
    const auto whole = module->forward(x, memory, nn::causal_mask(5, torch::kCPU), mask);
    for (std::int64_t first = 1; first < 5; ++first) {
      auto cache = module->start(memory, mask);
      CHECK(cache.sentences() == 2);
      CHECK(difference(module->read(x.slice(1, 0, first), cache), whole.slice(1, 0, first)) < 1e-12);
      for (auto t = first; t < 5; ++t)
        CHECK(difference(module->step(x.narrow(1, t, 1), cache), whole.narrow(1, t, 1)) < 1e-12);
      CHECK(cache.length == 5);
    }
  }
}

TEST_CASE("the decoder's steps equal its forward pass, several hypotheses a sentence") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto module = test::with_pattern(nn::Decoder(test::tiny_stack(norm, 2)));
    const auto memory = test::pattern({2, 4, 8}, "memory");
    const auto x = test::pattern({6, 5, 8}, "x");  // hypotheses 0-2 of the first sentence, 3-5 of the second
    const auto sentence = torch::tensor({0, 0, 0, 1, 1, 1});
    const auto whole = module->forward(x, memory.index_select(0, sentence), nn::causal_mask(5, torch::kCPU),
                                       test::source_mask().index_select(0, sentence));
    auto cache = module->start(memory, test::source_mask());
    CHECK(cache.length == 0);
    CHECK(cache.sentences() == 2);
    for (std::int64_t t = 0; t < 5; ++t) {
      INFO("position " << t);
      const auto output = module->step(x.select(1, t).view({2, 3, 8}), cache);
      CHECK(difference(output.view({6, 8}), whole.select(1, t)) < 1e-12);
      CHECK(cache.length == t + 1);
    }
    CHECK(cache.layers[1].source.keys.size(0) == 2);  // the source is held once for each sentence
  }
}

TEST_CASE("a decoder's parallel sublayers are three, and without a feed-forward network two") {
  for (const bool feed_forward : {true, false}) {
    auto options = test::tiny_stack(NormPlacement::pre);
    options.parallel = true;
    if (!feed_forward) options.feed_forward.kind = nn::FeedForwardKind::none;
    auto layer = test::with_pattern(nn::DecoderLayer(options));
    CHECK(layer->cross_attention_residual.is_empty());
    const auto x = test::pattern({2, 3, 8}, "x"), memory = test::pattern({2, 4, 8}, "memory");
    const auto causal = nn::causal_mask(3, torch::kCPU);
    const auto y = layer->self_attention_residual->norm(x);
    auto expected = x + layer->self_attention(y, y, ops::AttentionMask(causal)) +
                    layer->cross_attention(y, memory, ops::AttentionMask(test::source_mask()));
    if (feed_forward) expected = expected + layer->feed_forward(y);
    CHECK(difference(layer->forward(x, memory, causal, test::source_mask()), expected) < 1e-12);
  }
}

TEST_CASE("cross-attention learns matrices of its own") {
  auto layer = test::with_pattern(nn::DecoderLayer(test::tiny_stack(NormPlacement::post)));
  const auto x = test::pattern({2, 3, 8}, "x"), memory = test::pattern({2, 4, 8}, "memory");
  const auto y = layer->forward(x, memory, nn::causal_mask(3, torch::kCPU), test::source_mask());
  (y * test::pattern({2, 3, 8}, "loss")).sum().backward();
  auto& cross = layer->cross_attention;
  for (const auto& linear : {cross->query, cross->key, cross->value, cross->output})
    CHECK(linear->weight.grad().abs().max().item<double>() > 1e-4);
}

// A textbook calls positions the only source of order. Swapped are the first two words; asked is the last.
TEST_CASE("a decoder without positions is told order by its mask, from the second layer on") {
  const auto swapped = torch::tensor({1, 0, 2, 3});
  const auto x = test::pattern({1, 4, 8}, "x"), memory = test::pattern({1, 4, 8}, "memory");
  const auto mask = test::source_mask().slice(0, 0, 1), all = torch::ones({1, 1, 4, 4}, torch::kBool);
  const auto changes = [&](std::int64_t layers, const torch::Tensor& self_mask) {
    auto options = test::tiny_stack(NormPlacement::post, layers);
    options.positions = nn::Positions::none;
    auto decoder = test::with_pattern(nn::Decoder(options));
    const auto last = [&](const torch::Tensor& in) {
      return decoder->forward(in, memory, self_mask, mask).select(1, 3);
    };
    return difference(last(x), last(x.index_select(1, swapped)));
  };
  const auto causal = nn::causal_mask(4, torch::kCPU);
  CHECK(changes(1, causal) < 1e-13);
  CHECK(changes(2, causal) > 1e-4);
  CHECK(changes(2, all) < 1e-13);
}
