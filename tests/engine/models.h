// Small random models of many kinds. (tests/options has every value of every option.)
#pragma once

#include <string>
#include <vector>

#include "transformer/models/encoder_decoder.h"

namespace transformer::test {

struct ModelCase {
  std::string name;
  models::ModelOptions options;
};

inline std::vector<ModelCase> model_cases() {
  const models::ModelOptions small{.encoder_layers = 2,
                                   .decoder_layers = 2,
                                   .d_model = 32,
                                   .d_ff = 48,
                                   .heads = 2,
                                   .d_k = 16,
                                   .d_v = 16,
                                   .max_positions = 40};
  std::vector<ModelCase> cases{{"paper", small}};
  const auto add = [&](const std::string& name, auto&& change) {
    cases.push_back({name, small});
    change(cases.back().options);
  };
  add("head sizes", [](auto& o) { o.d_k = 5, o.d_v = 24, o.heads = 3; });
  add("wide", [](auto& o) { o.d_model = 70, o.d_ff = 130, o.d_k = 40, o.d_v = 20; });
  add("depths", [](auto& o) { o.encoder_layers = 3, o.decoder_layers = 1; });
  add("pre-norm", [](auto& o) { o.norm = nn::NormPlacement::pre; });
  add("halves", [](auto& o) { o.positions = nn::Positions::halves; });
  add("tensor2tensor", [](auto& o) { o.positions = nn::Positions::tensor2tensor; });
  add("learned", [](auto& o) { o.positions = nn::Positions::learned; });
  add("rotary", [](auto& o) { o.positions = nn::Positions::rotary, o.d_k = 10; });
  add("alibi", [](auto& o) { o.positions = nn::Positions::alibi, o.heads = 3; });
  add("gelu", [](auto& o) { o.activation = nn::Activation::gelu; });
  add("gelu_tanh", [](auto& o) { o.activation = nn::Activation::gelu_tanh; });
  add("geglu and another base", [](auto& o) {
    o.feed_forward = nn::FeedForwardKind::geglu, o.positions = nn::Positions::rotary, o.rotary_base = 500;
  });
  add("swish", [](auto& o) { o.activation = nn::Activation::swish, o.norm = nn::NormPlacement::pre; });
  add("glu", [](auto& o) { o.feed_forward = nn::FeedForwardKind::glu; });
  add("swiglu",
      [](auto& o) { o.feed_forward = nn::FeedForwardKind::swiglu, o.norm = nn::NormPlacement::pre; });
  add("biases", [](auto& o) { o.attention_bias = true, o.d_k = 8; });
  add("rms norms", [](auto& o) { o.norm_type = nn::NormKind::rms, o.d_model = 40; });
  add("shared keys", [](auto& o) { o.heads = 6, o.kv_heads = 2, o.d_v = 24; });
  add("one head of keys", [](auto& o) { o.heads = 4, o.kv_heads = 1, o.attention_bias = true; });
  add("normalised queries and keys", [](auto& o) { o.qk_norm = true, o.d_k = 10, o.attention_bias = true; });
  add("normalised and not scaled", [](auto& o) { o.qk_norm = true, o.attention_scale = false; });
  add("window", [](auto& o) { o.attention_window = 2; });
  add("as large language models are", [](auto& o) {
    o.norm = nn::NormPlacement::pre, o.norm_type = nn::NormKind::rms;
    o.feed_forward = nn::FeedForwardKind::swiglu, o.positions = nn::Positions::rotary;
    o.heads = 4, o.kv_heads = 2, o.qk_norm = true, o.attention_window = 4;
  });
  add("output bias", [](auto& o) { o.output_bias = true, o.tie = nn::Tie::none; });
  add("tie target", [](auto& o) { o.tie = nn::Tie::target; });
  add("tie none", [](auto& o) { o.tie = nn::Tie::none; });
  return cases;
}

/// Weights are scaled up, so that some continuations are much better than others; biases and norms are not
/// trivial either.
inline models::EncoderDecoder random_model(const models::ModelOptions& options, std::int64_t vocabulary,
                                           std::uint64_t seed = 1) {
  torch::manual_seed(seed);
  models::EncoderDecoder model(options, models::VocabularySizes{vocabulary, vocabulary});
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model->parameters())
    parameter.dim() > 1 ? parameter.mul_(1.5) : parameter.add_(torch::randn_like(parameter) * 0.2);
  model->eval();
  return model;
}

}  // namespace transformer::test
