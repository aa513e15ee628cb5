// Attention that is not the paper's, against loops over heads, queries and keys in Python
// (tests/reference/attention_constants.py).
#include <torch/autograd.h>

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "tests/nn/constants_attention.h"
#include "transformer/nn/decoder.h"
#include "transformer/nn/feed_forward.h"
#include "transformer/nn/init.h"
#include "transformer/nn/multi_head_attention.h"
#include "transformer/ops/sequences_of.h"

using namespace transformer;
using test::difference;

namespace {

nn::MultiHeadAttentionOptions small() {
  return {.d_model = 8, .heads = 2, .d_k = 4, .d_v = 3, .bias = true};
}

/// True but for the second sentence's last key.
torch::Tensor mask(std::int64_t keys) {
  auto result = torch::ones({2, 1, 1, keys}, torch::kBool);
  result[1][0][0][keys - 1] = false;
  return result;
}

void check_self_attention(const nn::MultiHeadAttentionOptions& options, nn::Positions positions,
                          const test::Reference& reference, double rounding = 1e-11) {
  auto module = test::with_pattern(nn::MultiHeadAttention(options));
  nn::RelativePositions places(nn::RelativePositionsOptions{
      .positions = positions, .heads = options.heads, .d_k = options.d_k, .farthest = options.farthest});
  const auto x = test::variable({2, 4, 8}, "x");
  test::check_reference(*module, module(x, x, mask(4), places->of(x)), {x}, reference, rounding);
}

void check_attention(const nn::MultiHeadAttentionOptions& options, const test::Reference& reference) {
  auto module = test::with_pattern(nn::MultiHeadAttention(options));
  const auto x = test::variable({2, 4, 8}, "x"), memory = test::variable({2, 5, 8}, "memory");
  test::check_reference(*module, module(x, memory, mask(5)), {x, memory}, reference);
}

void check_feed_forward(nn::FeedForwardKind kind, const test::Reference& reference) {
  auto module =
      test::with_pattern(nn::FeedForward(nn::FeedForwardOptions{.d_model = 8, .d_ff = 12, .kind = kind}));
  const auto x = test::variable({2, 4, 8}, "x");
  test::check_reference(*module, module(x), {x}, reference);
}

/// Those options that have one each, and two that meet.
std::vector<nn::MultiHeadAttentionOptions> others() {
  std::vector<nn::MultiHeadAttentionOptions> all(6, small());
  all[0].score = nn::AttentionScore::additive;
  all[1].kv_heads = 1;
  all[2].qk_norm = true;
  all[3].window = 2;
  all[4].farthest = 2;
  all[5].farthest = 2, all[5].window = 2, all[5].kv_heads = 1, all[5].qk_norm = true;
  return all;
}

nn::MultiHeadAttention random(const nn::MultiHeadAttentionOptions& options) {
  torch::manual_seed(4);
  nn::MultiHeadAttention module(options);
  nn::initialize(*module);
  return module;
}

}  // namespace

TEST_CASE("rotary and alibi self-attention equal loops over heads, queries and keys, with their gradients") {
  constexpr double kFp32 = 1e-7;  // angles' cosines and sines, and slopes
  check_self_attention(small(), nn::Positions::rotary, test::rotary_self_attention, kFp32);
  check_self_attention(small(), nn::Positions::alibi, test::alibi_self_attention, kFp32);
}

TEST_CASE("relative positions equal Shaw's equations 3 and 4, with their gradients") {
  auto options = small();
  options.farthest = 2;
  check_self_attention(options, nn::Positions::relative, test::relative_self_attention);
}

TEST_CASE("restricted self-attention equals loops over the keys in reach, with its gradients") {
  auto options = small();
  options.window = 1;
  check_self_attention(options, nn::Positions::interleaved, test::window_self_attention);
}

TEST_CASE("additive scores equal Bahdanau's, with their gradients") {
  auto options = small();
  options.score = nn::AttentionScore::additive;
  check_attention(options, test::additive_attention);
}

TEST_CASE("heads that share keys and values equal loops, with their gradients") {
  auto options = small();
  options.kv_heads = 1;
  check_attention(options, test::grouped_attention);
}

TEST_CASE("normalised queries and keys equal loops, with their gradients") {
  auto options = small();
  options.qk_norm = true;
  check_attention(options, test::qk_norm_attention);
}

TEST_CASE("gated feed-forward layers equal their formula, with their gradients") {
  check_feed_forward(nn::FeedForwardKind::glu, test::glu_feed_forward);
  check_feed_forward(nn::FeedForwardKind::swiglu, test::swiglu_feed_forward);
}

TEST_CASE("other attention's gradients equal finite differences") {
  for (const auto& options : others()) {
    auto module = random(options);
    module->to(torch::kDouble);
    nn::RelativePositions places(nn::RelativePositionsOptions{
        .positions = options.farthest > 0 ? nn::Positions::relative : nn::Positions::interleaved,
        .heads = options.heads,
        .d_k = options.d_k,
        .farthest = options.farthest});
    const auto x = torch::randn({2, 4, 8}, torch::kDouble).requires_grad_();
    auto variables = module->parameters();
    variables.push_back(x);
    test::check_gradients([&] { return module(x, x, mask(4), places->of(x)).pow(2).sum(); }, variables);
  }
}

TEST_CASE("the weights that are shown are those that are applied, also of other attention") {
  for (auto options : others()) {
    if (options.farthest > 0) continue;  // their values are sums of two
    auto module = random(options);
    const auto x = torch::randn({2, 5, 8});
    const auto kept = module->keys_and_values(x);
    const auto weights = module->weights(x, kept, mask(5));
    CHECK(difference(weights.sum(-1), torch::ones({2, 2, 5})) < 1e-6);
    CHECK(weights[1].select(-1, 4).abs().max().item<double>() == 0.0);
    const auto values = kept.values.repeat_interleave(2 / kept.values.size(1), 1);
    CHECK(difference(module->output(weights.matmul(values).transpose(1, 2).flatten(2)),
                     module(x, x, mask(5))) < 1e-6);
  }
}

TEST_CASE("packed sequences get from other attention what padded ones get") {
  for (const auto& options : others()) {
    auto module = random(options);
    nn::RelativePositions places(nn::RelativePositionsOptions{
        .positions = options.farthest > 0 ? nn::Positions::relative : nn::Positions::interleaved,
        .heads = options.heads,
        .d_k = options.d_k,
        .farthest = options.farthest});
    const auto sequences = ops::sequences_of({70, 41, 1});
    const auto x = torch::randn({112, 8});
    const auto padded = ops::pad(x, sequences);
    for (const bool causal : {false, true}) {
      const auto packed_mask = ops::AttentionMask::packed(sequences, sequences, causal);
      auto visible = sequences.padding_mask();
      if (causal) visible = visible.logical_and(torch::ones({70, 70}, torch::kBool).tril());
      const auto expected = module(padded, padded, visible, places->of(padded));
      CHECK(difference(module(x, x, packed_mask, places->of(x, packed_mask)),
                       ops::pack(expected, sequences)) < 1e-5);
    }
  }
}

// The path to a position n away takes n / r layers. Unrestricted self-attention has a path of 1 (section 4,
// Table 1).
TEST_CASE("information travels r positions a layer in restricted self-attention") {
  constexpr std::int64_t kLength = 13, kWindow = 3;
  auto options = small();
  options.window = kWindow;
  nn::MultiHeadAttention first = random(options), second = random(options);
  const auto x = torch::randn({1, kLength, 8}).requires_grad_();
  const auto reach = [&](const torch::Tensor& y) {  // of the first position
    const auto gradient = torch::autograd::grad({y.select(1, 0).sum()}, {x}, {}, /*retain_graph=*/true)[0];
    return gradient.abs().sum(-1).squeeze(0).ne(0).sum().item<std::int64_t>() - 1;
  };
  const auto once = first(x, x, torch::Tensor());
  CHECK(reach(once) == kWindow);
  CHECK(reach(second(once, once, torch::Tensor())) == 2 * kWindow);
}

TEST_CASE(
    "a decoder with other attention computes step by step what it computes at once, and keeps no more") {
  for (const auto& options : others()) {
    nn::StackOptions stack{.layers = 2,
                           .positions = options.farthest > 0 ? nn::Positions::relative : nn::Positions::bias,
                           .attention = options,
                           .feed_forward = {.d_model = 8, .d_ff = 12},
                           .residual = {.d_model = 8}};
    torch::manual_seed(6);
    nn::Decoder decoder(stack);
    nn::initialize(*decoder);
    decoder->eval();
    const torch::NoGradGuard no_gradients;
    const auto x = torch::randn({2, 7, 8}), memory = torch::randn({2, 5, 8});
    const auto causal = torch::ones({1, 1, 7, 7}, torch::kBool).tril();
    const auto expected = decoder(x, memory, causal, mask(5));
    auto cache = decoder->start(memory, mask(5));
    for (std::int64_t t = 0; t < 7; ++t)
      CHECK(difference(decoder->step(x.narrow(1, t, 1), cache), expected.narrow(1, t, 1)) < 1e-5);
    const auto& keys = cache.layers[0].self.keys;
    CHECK(keys.size(1) == options.heads_of_keys());
    CHECK(keys.size(2) == (options.window > 0 ? options.window + 1 : 7));
  }
}

TEST_CASE("heads of keys and values that do not divide the heads are refused") {
  auto options = small();
  options.kv_heads = 3;
  CHECK_THROWS_WITH(nn::MultiHeadAttention(options), ContainsSubstring("no divisor of 2 heads"));
}
