// Every option means in an encoder alone what it means in the encoder-decoder: packed texts give what padded
// ones give, and twins decline the kind.
#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "tests/options/model_variants.h"
#include "transformer/base/special_tokens.h"
#include "transformer/engine/support.h"
#include "transformer/models/kinds.h"
#include "transformer/models/padded_ids.h"
#include "transformer/models/update_time.h"
#include "transformer/ops/sequences_of.h"

using namespace transformer;

TEST_CASE("an encoder's packed texts give what padded ones give, for every option") {
  constexpr std::int64_t tokens = 30;
  const auto sequences = ops::sequences_of({6, 4});
  torch::manual_seed(8);
  const models::Packed text{torch::randint(kEos, tokens, {sequences.rows()}), sequences};
  auto all = test::single_variants();
  for (const auto& pairs : {test::pairwise_variants(), test::pairwise_outside_variants()})
    all.insert(all.end(), pairs.begin(), pairs.end());
  for (auto [name, options] : all) {
    for (const std::int64_t size : {0, 10}) {
      INFO(name << size);
      options.kind = {models::kEncoder, {}};
      options.embedding_norm = true;
      options.encoder = {.embedding_size = size, .output_transform = true, .segments = 2};
      CHECK(engine::unsupported(options));
      CHECK(models::unpredicted(options) == "model.kind: encoder");
      torch::manual_seed(7);
      auto model = models::make(options, {tokens, tokens});
      const torch::NoGradGuard none;
      for (auto& parameter : model->parameters())
        if (parameter.requires_grad()) parameter.add_(0.1 * torch::randn_like(parameter));
      model->to(torch::kDouble);
      model->eval();
      auto& encoder = models::text_encoder(*model);
      const auto logits = encoder.logits(encoder.states(text));
      const auto padded = encoder.logits(encoder.states(models::padded_ids(text)));
      // Some variants and fused layers compute in fp32.
      CHECK(test::difference(ops::pack(padded, sequences), logits) <
            1e-4 * logits.abs().max().item<double>());
    }
  }
}

TEST_CASE("each option of an encoder alone computes something else") {
  const auto ids = torch::tensor({{2, 7, 9, 3, 8, 3}});
  std::vector<torch::Tensor> seen;
  for (const auto& own : {models::EncoderOptions{}, models::EncoderOptions{.output_transform = true},
                          models::EncoderOptions{.embedding_size = 8, .output_transform = true},
                          models::EncoderOptions{.embedding_size = 16,
                          .output_transform = true},  // a layer behind, all the same
                          models::EncoderOptions{.segments = 1}, models::EncoderOptions{.segments = 2}}) {
    torch::manual_seed(7);
    auto model = models::make(
        {.kind = {models::kEncoder, {}}, .encoder_layers = 1, .d_model = 16, .encoder = own}, {30, 30});
    const torch::NoGradGuard none;
    for (auto& parameter : model->named_parameters()) {  // alike in all
      torch::manual_seed(static_cast<std::uint64_t>(parameter.key().size()));
      parameter.value().uniform_(-0.5, 0.5);
    }
    model->eval();
    auto& encoder = models::text_encoder(*model);
    const auto logits = encoder.logits(encoder.states(ids));
    for (const auto& other : seen) CHECK(test::difference(logits, other) > 1e-3);
    seen.push_back(logits);
  }
}
