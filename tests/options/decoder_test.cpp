// Every option means in a decoder alone what it means in the encoder-decoder: packed texts, steps and
// beginnings that are read at once give what whole texts give.
#include <set>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "tests/options/model_variants.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/engine/support.h"
#include "transformer/engine/text_decoder.h"
#include "transformer/models/kinds.h"
#include "transformer/models/padded_ids.h"
#include "transformer/ops/sequences_of.h"
#include "transformer/translation/engine_model.h"

using namespace transformer;
using test::difference;

namespace {

constexpr std::int64_t kWordsOfDecoders = 30;

std::vector<test::ModelVariant> decoders() {
  auto all = test::single_variants();
  for (const auto& pairs : {test::pairwise_variants(), test::pairwise_outside_variants()})
    all.insert(all.end(), pairs.begin(), pairs.end());
  for (auto& variant : all) variant.options.kind = {models::kDecoder, {}};
  return all;
}

models::AnyModel decoder_of(const models::ModelOptions& options) {
  torch::manual_seed(7);
  auto model = models::make(options, {kWordsOfDecoders, kWordsOfDecoders});
  const torch::NoGradGuard none;
  for (auto& parameter : model->parameters())
    if (parameter.requires_grad()) parameter.add_(0.1 * torch::randn_like(parameter));
  model->to(torch::kDouble);
  model->eval();
  return model;
}

}  // namespace

TEST_CASE("a decoder's packed texts, steps and beginnings give what whole texts give, for every option") {
  const auto sequences = ops::sequences_of({6, 4});
  torch::manual_seed(8);
  const models::Packed text{torch::randint(kEos + 1, kWordsOfDecoders, {sequences.rows()}), sequences};
  const auto ids = models::padded_ids(text);
  for (const auto& [name, options] : decoders()) {
    INFO(name);
    auto model = decoder_of(options);
    auto& language = models::language_model(*model);
    const torch::NoGradGuard none;
    const auto states = language.states(ids);
    const double size = states.abs().max().item<double>();
    // Some variants and fused layers compute in fp32.
    CHECK(difference(ops::pack(states, sequences), language.states(text)) < 1e-4 * size);
    const auto logits = language.logits(states);
    const double most = logits.abs().max().item<double>();
    for (const std::int64_t first : {0, 3}) {
      const auto state = language.start(ids.slice(1, 0, first));
      for (auto t = first; t < 4; ++t) {
        INFO("read " << first << ", step " << t);
        CHECK(difference(logits.narrow(1, t, 1), language.step(ids.narrow(1, t, 1), *state)) < 1e-4 * most);
      }
    }
  }
}

TEST_CASE("the engine continues texts as the modules do, for every option that it knows") {
  torch::manual_seed(8);
  const auto ids = torch::randint(kEos + 1, kWordsOfDecoders, {7});
  const std::vector<std::int32_t> text = [&] {
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < ids.size(0); ++i) all.push_back(ids[i].item<std::int32_t>());
    return all;
  }();
  std::set<std::string> declined;
  int computed = 0;
  for (const auto& [name, options] : decoders()) {
    INFO(name);
    if (const auto unknown = engine::unsupported(options)) {
      declined.insert(*unknown);
      CHECK_THROWS_AS(translation::pack(decoder_of(options), engine::Precision::fp32), InputError);
      continue;
    }
    ++computed;
    auto model = decoder_of(options);
    auto& language = models::language_model(*model);
    const torch::NoGradGuard none;
    const auto logits = language.logits(language.states(ids.unsqueeze(0)))[0];
    const double most = logits.abs().max().item<double>();
    const auto packed = translation::pack(model, engine::Precision::fp32);
    engine::TextDecoder decoder(packed, 2);
    const auto row = [](std::span<const float> found) {
      return torch::from_blob(const_cast<float*>(found.data()), {kWordsOfDecoders}).clone();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
      const search::TextModel::Reading one[] = {{0, std::span(text).subspan(i, 1)}};
      const auto found = row(decoder.read(one));
      CHECK(difference(found, logits[static_cast<std::int64_t>(i)]) < 1e-4 * most);
      // At once, beside another text, by other threads.
      engine::TextDecoder other(packed, i % 2 == 0 ? 1 : 3);
      const search::TextModel::Reading two[] = {{5, std::span(text).first(3)},
                                                {7, std::span(text).first(i + 1)}};
      CHECK(torch::equal(row(other.read(two).subspan(kWordsOfDecoders)), found));
    }
  }
  CHECK(computed > 20);
  CHECK(declined.contains("model.positions: every_layer"));
  CHECK(declined.contains("model.norm: sandwich"));
  CHECK_FALSE(declined.contains("model.kind: decoder"));
}
