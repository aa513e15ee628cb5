#include "transformer/models/decoder/decoder_only.h"

#include "tests/catch.h"
#include "tests/models/decoder/constants_torch.h"
#include "tests/models/reference_batch.h"
#include "tests/models/tiny.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/models/kind_check.h"
#include "transformer/models/kinds.h"
#include "transformer/models/size.h"
#include "transformer/ops/dropout.h"

using namespace transformer;
using test::difference;

namespace {

constexpr models::VocabularySizes kVocabulary{11, 11};

models::ModelOptions tiny_decoder(nn::NormPlacement norm = nn::NormPlacement::post) {
  auto options = test::tiny(norm);
  options.kind = {models::kDecoder, {}};
  options.max_positions = 6;
  return options;
}

}  // namespace

TEST_CASE("decoders alone, their losses and their gradients equal those of PyTorch's layers") {
  auto gpt = tiny_decoder(nn::NormPlacement::pre);
  gpt.positions = nn::Positions::learned;
  gpt.activation = nn::Activation::gelu;
  gpt.tie = nn::Tie::none;
  struct Case {
    models::ModelOptions options;
    double loss;
    const test::Reference& reference;
  };
  for (const auto& [options, expected, reference] :
       {Case{tiny_decoder(), test::decoder_paper_loss, test::decoder_paper},
        Case{gpt, test::decoder_gpt_loss, test::decoder_gpt}}) {
    auto model = test::with_pattern(models::make(options, kVocabulary));
    auto& language = models::language_model(*model);
    const auto logits = language.logits(language.states(test::target()));
    CHECK(difference(logits.flatten(0, 1), reference.output) < 1e-10);
    const auto loss = test::loss_of(logits);
    CHECK(loss.item<double>() == Approx(expected).epsilon(1e-11));
    loss.backward();
    test::check_slopes(*model, reference);
  }
}

TEST_CASE("a decoder alone keeps to the rules of kinds") {
  for (const auto& check : models::check_kind({models::kDecoder, {}})) {
    INFO(check.what << ": " << check.found);
    CHECK(check.passed);
  }
}

TEST_CASE("a language model without steps of its own computes each text from its begin again") {
  struct Forgetful : models::DecoderOnlyImpl {
    using DecoderOnlyImpl::DecoderOnlyImpl;
    std::unique_ptr<models::DecoderState> start(const torch::Tensor& text) override {
      return LanguageModel::start(text);
    }
    torch::Tensor step(const torch::Tensor& ids, models::DecoderState& state) override {
      return LanguageModel::step(ids, state);
    }
  };
  torch::manual_seed(5);
  models::DecoderOnly own(tiny_decoder(), kVocabulary);
  torch::manual_seed(5);
  Forgetful plain(tiny_decoder(), kVocabulary);
  const torch::NoGradGuard none;
  const auto text = test::target();
  const auto cached = own->start(text.slice(1, 0, 2)), again = plain.start(text.slice(1, 0, 2));
  CHECK(again->length() == 2);
  CHECK(again->sentences() == 2);
  for (std::int64_t t = 2; t < 4; ++t)
    CHECK(difference(own->step(text.narrow(1, t, 1), *cached), plain.step(text.narrow(1, t, 1), *again)) <
          1e-5);
  const auto beam = torch::tensor({0, 0, 1, 1});
  for (auto* state : {cached.get(), again.get()}) state->select_hypotheses(beam);
  const auto next = torch::tensor({{4, 5}, {6, 7}});
  CHECK(difference(own->step(next, *cached), plain.step(next, *again)) < 1e-5);
}

TEST_CASE("a decoder's learned positions end a text that is too long") {
  auto options = tiny_decoder();
  options.positions = nn::Positions::learned;
  auto model = models::make(options, kVocabulary);
  const auto ids = torch::full({1, 7}, 4, torch::kLong);
  auto& language = models::language_model(*model);
  CHECK_THROWS_AS(language.states(ids), InputError);
  CHECK_THROWS_AS(language.start(ids), InputError);
  const auto state = language.start(ids.slice(1, 0, 6));
  CHECK_THROWS_AS(language.step(ids.slice(1, 0, 1), *state), InputError);
}

TEST_CASE("dropout in a decoder alone does not see how an update is cut into batches") {
  auto options = tiny_decoder();
  options.dropout = 0.4;
  torch::manual_seed(3);
  auto model = models::make(options, kVocabulary);
  auto& language = models::language_model(*model);
  const auto states = [&](const torch::Tensor& texts, std::vector<std::int64_t> examples) {
    const ops::DropoutScope scope(5, 1, std::move(examples));
    return language.states(texts);
  };
  const auto both = states(test::target(), {7, 9});
  CHECK(difference(both[1].slice(0, 0, 3), states(test::target().slice(0, 1).slice(1, 0, 3), {9})[0]) < 1e-6);
  CHECK(difference(both, states(test::target(), {7, 8})) > 0.01);
}

TEST_CASE("a decoder's parameters and operations are those of its layers") {
  // GPT-2's smallest: 124 439 808 numbers.
  models::ModelOptions options{.kind = {models::kDecoder, {}},
                               .decoder_layers = 12,
                               .d_model = 768,
                               .d_ff = 3072,
                               .heads = 12,
                               .positions = nn::Positions::learned,
                               .norm = nn::NormPlacement::pre,
                               .activation = nn::Activation::gelu,
                               .attention_bias = true,
                               .max_positions = 1024};
  const models::VocabularySizes words{50257, 50257};
  CHECK(models::count_parameters(options, words).total() == 124439808);
  // A text of ten tokens takes projections and feed-forward layers, attention, output.
  models::TokenCounts counts;
  counts.add_pair(0, 10);
  const double layers = 12.0 * (10 * 2.0 * (4 * 768 * 768 + 2 * 768 * 3072) + 100 * 4.0 * 768);
  const auto flops = models::forward_flops(options, words, counts);
  CHECK(flops.source == 0);
  CHECK(flops.target == layers);
  CHECK(flops.output == 10 * 2.0 * 768 * 50257);
}
