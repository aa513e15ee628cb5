#include "transformer/nn/attention_record.h"

#include <thread>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/nn/init.h"
#include "transformer/nn/multi_head_attention.h"
#include "transformer/ops/sequences_of.h"

using namespace transformer;
using test::difference;

namespace {

torch::Tensor matrix(const std::vector<double>& values, std::int64_t columns) {
  return torch::tensor(values, torch::kDouble).view({-1, columns});
}

/// One head of three sizes over 'Raj is good', whose products are whole numbers.
struct WorkedExample {
  torch::Tensor x = matrix({1, 0, 1, 0, 0, 2, 0, 2, 1, 1, 1, 1}, 4).unsqueeze(0);
  nn::MultiHeadAttention module;

  explicit WorkedExample(bool scale)
      : module(nn::MultiHeadAttentionOptions{.d_model = 4, .heads = 1, .d_k = 3, .d_v = 3, .scale = scale}) {
    const torch::NoGradGuard no_gradients;
    module->to(torch::kDouble);
    module->query->weight.copy_(matrix({1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1}, 3).t());
    module->key->weight.copy_(matrix({0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0}, 3).t());
    module->value->weight.copy_(matrix({0, 2, 0, 0, 3, 0, 1, 0, 3, 1, 1, 0}, 3).t());
    module->output->weight.copy_(torch::eye(4, 3, torch::kDouble));
  }
};

/// What a module gives, and the weights behind it.
struct Recorded {
  torch::Tensor output, weights;
};

Recorded run(nn::MultiHeadAttention& module, const torch::Tensor& x, const torch::Tensor& memory,
             const ops::AttentionMask& mask, const nn::AttentionPositions& positions = {},
             variants::Role role = variants::Role::encoder) {
  nn::AttentionRecord record;
  const auto output = module(x, memory, mask, positions);
  REQUIRE(record.of(role).size() == 1);
  return {output, record.of(role).front()};
}

nn::MultiHeadAttentionOptions small() {
  return {.d_model = 8, .heads = 4, .d_k = 4, .d_v = 3, .bias = true};
}

nn::MultiHeadAttention random(const nn::MultiHeadAttentionOptions& options) {
  torch::manual_seed(4);
  nn::MultiHeadAttention module(options);
  nn::initialize(*module);
  return module;
}

/// Every combination of the options that take their own path through attention.
std::vector<nn::MultiHeadAttentionOptions> all_options() {
  std::vector<nn::MultiHeadAttentionOptions> all;
  for (const auto score : {nn::AttentionScore::product, nn::AttentionScore::additive})
    for (const std::int64_t window : {0, 2})
      for (const std::int64_t kv_heads : {0, 2, 1})
        for (const bool qk_norm : {false, true})
          for (const bool scale : {true, false}) {
            all.push_back(small());
            auto& o = all.back();
            o.score = score, o.window = window, o.kv_heads = kv_heads, o.qk_norm = qk_norm, o.scale = scale;
          }
  return all;
}

/// Σ_s weights[t, s] · values[s] of each head, and W_O: what section 3.2 makes of weights. Vectors of
/// distances, where there are some, are added to the values.
torch::Tensor applied(nn::MultiHeadAttention& module, const torch::Tensor& weights,
                      const torch::Tensor& memory, const torch::Tensor& distances) {
  const auto values = module->keys_and_values(memory).values;
  const auto each = values.repeat_interleave(weights.size(1) / values.size(1), 1);  // (B, H, S, V)
  auto heads = weights.matmul(each);
  if (distances.defined()) {
    const auto added = module->distance_values.index_select(0, distances.flatten())
                           .view({distances.size(0), distances.size(1), -1});  // (T, S, V)
    heads = heads + torch::einsum("bhts,tsv->bhtv", {weights, added});
  }
  return module->output(heads.transpose(1, 2).flatten(2));
}

}  // namespace

TEST_CASE("recorded weights are the worked example's, divided by the root of d_k and not") {
  const bool scale = GENERATE(true, false);
  WorkedExample example(scale);
  const auto [output, weights] = run(example.module, example.x, example.x, {});
  const std::vector<double> expected =
      scale ? std::vector<double>{0.1361257976, 0.4319371012, 0.4319371012, 0.0008904474, 0.9088426472,
                                  0.0902669054, 0.0074448924, 0.7547075806, 0.2378475270}
            : std::vector<double>{0.0633789383, 0.4683105308, 0.4683105308, 6.03366485e-6, 0.9820078649,
                                  0.0179861014, 0.0002953872, 0.8805369018, 0.1191677110};
  CHECK(difference(weights.squeeze(), matrix(expected, 3)) < 1e-10);
  const std::vector<double> rows =
      scale ? std::vector<double>{1.8638742024, 6.3193710122, 1.7041886963, 1.9991095526, 7.8141235049,
                                  0.2734720584, 1.9925551076, 7.4796355918, 0.7358772581}
            : std::vector<double>{1.9366210617, 6.6831053083, 1.5950684075, 1.9999939663, 7.9639915951,
                                  0.0539764053, 1.9997046128, 7.7598922547, 0.3583892947};
  CHECK(difference(output.squeeze().slice(1, 0, 3), matrix(rows, 3)) < 1e-9);
  CHECK(difference(example.module(example.x, example.x, torch::Tensor()), output) < 1e-12);
}

TEST_CASE("a causal mask leaves nothing of what follows in the worked example") {
  WorkedExample example(true);
  const auto causal = torch::ones({1, 1, 3, 3}, torch::kBool).tril();
  const auto [output, weights] = run(example.module, example.x, example.x, causal);
  CHECK(difference(weights.squeeze()[0], std::vector<double>{1, 0, 0}) == 0.0);
  CHECK(weights.squeeze()[1][2].item<double>() == 0.0);
  CHECK(difference(output.squeeze().slice(1, 0, 3)[1],
                   std::vector<double>{1.9990211993, 7.9941271958, 0.0029364021}) < 1e-9);
}

TEST_CASE("the weights of self-attention give its output, with every option and position scheme") {
  const bool causal = GENERATE(false, true);
  for (auto options : all_options()) {
    for (const auto positions : {nn::Positions::none, nn::Positions::rotary, nn::Positions::bias,
                                 nn::Positions::alibi, nn::Positions::relative}) {
      options.farthest = nn::are_relative_vectors(positions) ? 2 : 0;
      auto module = random(options);
      nn::RelativePositions places(nn::RelativePositionsOptions{.positions = positions,
                                                                .heads = options.heads,
                                                                .d_k = options.d_k,
                                                                .farthest = options.farthest,
                                                                .both_sides = !causal});
      if (places->weight.defined()) places->weight.data().normal_();
      const auto x = torch::randn({2, 6, 8});
      auto mask = torch::ones({2, 1, 6, 6}, torch::kBool);
      mask[1].slice(-1, 5) = false;  // padding
      if (causal) mask = mask.tril();
      const auto at = places->of(x);
      CAPTURE(options.window, options.kv_heads, options.qk_norm, options.scale, nn::name_of(positions),
              nn::name_of(options.score));
      const auto [output, weights] = run(module, x, x, mask, at);
      CHECK(weights.sizes() == torch::IntArrayRef({2, 4, 6, 6}));
      CHECK(difference(weights.sum(-1), torch::ones({2, 4, 6})) < 1e-6);
      const auto hidden = mask.logical_not().expand_as(weights);
      CHECK(weights.masked_select(hidden).abs().sum().item<double>() == 0.0);
      if (options.window > 0) CHECK(weights.triu(3).abs().sum().item<double>() == 0.0);
      const auto usual = module(x, x, mask, at);
      CHECK(difference(applied(module, weights, x, at.distances), usual) < 1e-5);
      CHECK(difference(output, usual) < 1e-5);
    }
  }
}

TEST_CASE("the weights of cross-attention give its output, with every option") {
  for (const auto& options : all_options()) {
    auto module = random(nn::in_role(options, variants::Role::source));
    const auto x = torch::randn({2, 3, 8}), memory = torch::randn({2, 5, 8});
    auto mask = torch::ones({2, 1, 1, 5}, torch::kBool);
    mask[1][0][0][4] = false;
    const auto [output, weights] = run(module, x, memory, mask, {}, variants::Role::source);
    CHECK(difference(weights.sum(-1), torch::ones({2, 4, 3})) < 1e-6);
    CHECK(weights[1].select(-1, 4).abs().max().item<double>() == 0.0);
    CHECK(difference(applied(module, weights, memory, {}), module(x, memory, mask)) < 1e-5);
  }
}

TEST_CASE("packed sequences leave the weights that padded ones leave, also within a window") {
  for (const std::int64_t window : {0, 2}) {
    auto options = small();
    options.window = window;
    auto module = random(options);
    const auto sequences = ops::sequences_of({70, 41, 1});
    const auto x = torch::randn({112, 8});
    const auto padded = run(module, ops::pad(x, sequences), ops::pad(x, sequences), sequences.padding_mask());
    const auto mask = ops::AttentionMask::packed(sequences, sequences, false);
    const auto packed = run(module, x, x, mask);
    CHECK(difference(packed.weights, padded.weights) < 1e-6);
    CHECK(difference(packed.output, module(x, x, mask)) < 1e-5);
  }
}

TEST_CASE("a record of one module leaves the others to their usual ways, and gives gradients back") {
  auto wanted = random(small()), other = random(small());
  const auto x = torch::randn({1, 3, 8});
  nn::AttentionRecord record(*wanted);
  CHECK(nn::AttentionRecord::of(*wanted) == &record);
  CHECK(nn::AttentionRecord::of(*other) == nullptr);
  other(x, x, torch::Tensor());
  wanted(x, x, torch::Tensor());
  REQUIRE(record.of(variants::Role::encoder).size() == 1);
  record.of(variants::Role::encoder).front().square().sum().backward();
  CHECK(wanted->query->weight.grad().abs().sum().item<double>() > 0);
  CHECK_FALSE(other->query->weight.grad().defined());
}

TEST_CASE("a record counts in its thread and while it lives, the innermost one") {
  auto module = random(small());
  const auto x = torch::randn({1, 3, 8});
  CHECK(nn::AttentionRecord::active() == nullptr);
  nn::AttentionRecord outer;
  {
    nn::AttentionRecord inner;
    module(x, x, torch::Tensor());
    CHECK(inner.of(variants::Role::encoder).size() == 1);
  }
  CHECK(outer.of(variants::Role::encoder).empty());
  std::thread([&] { module(x, x, torch::Tensor()); }).join();
  CHECK(outer.of(variants::Role::encoder).empty());
  module(x, x, torch::Tensor());
  module(x, x, torch::Tensor());
  CHECK(outer.of(variants::Role::encoder).size() == 2);
  CHECK(outer.of(variants::Role::decoder).empty());
  CHECK(outer.of(variants::Role::source).empty());
}

TEST_CASE("weights are recorded as the softmax gives them, before dropout falls on them") {
  auto options = small();
  options.dropout = 0.5;
  auto module = random(options), plain = random(small());
  const auto x = torch::randn({2, 5, 8});
  CHECK(difference(run(module, x, x, {}).weights, run(plain, x, x, {}).weights) < 1e-6);
}
