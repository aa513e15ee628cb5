#include "transformer/models/recurrent/recurrent.h"

#include "tests/catch.h"
#include "tests/models/recurrent/constants_torch.h"
#include "tests/models/reference_batch.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/models/kind_check.h"
#include "transformer/models/kinds.h"
#include "transformer/models/size.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/sequences_of.h"

using namespace transformer;
using models::ModelOptions;
using test::difference;
using test::source;
using test::target;

namespace {

constexpr models::VocabularySizes kVocabulary{11, 11};

ModelOptions options_of(const std::string& kind) {
  return {.kind = *variants::parse(kind),
          .encoder_layers = 2,
          .decoder_layers = 2,
          .d_model = 8,
          .dropout = 0,
          .tie = nn::Tie::none};
}

models::AnyModel model_of(const ModelOptions& options) {
  torch::manual_seed(3);
  return models::make(options, kVocabulary);
}

/// Every kind of cell, attention and direction, and what else there is.
std::vector<std::string> all_kinds() {
  std::vector<std::string> all;
  for (const auto* cell : {"gru", "lstm"})
    for (const auto* attention : {"none", "additive", "product", "product input_feeding=true"})
      for (const auto* others : {"", " bidirectional=false", " reverse_source=true"})
        all.push_back(std::string("recurrent cell=") + cell + " attention=" + attention + others);
  return all;
}

}  // namespace

TEST_CASE("recurrent models, their losses and their gradients equal those of PyTorch's layers") {
  struct Case {
    const char* kind;
    std::int64_t encoder_layers, decoder_layers;
    nn::Tie tie;
    bool output_bias;
    double loss;
    const test::Reference& reference;
  };
  for (const auto& [kind, encoder_layers, decoder_layers, tie, output_bias, expected, reference] :
       {Case{"recurrent", 2, 2, nn::Tie::none, false, test::gru_additive_loss, test::gru_additive},
        Case{"recurrent cell=lstm attention=product input_feeding=true reverse_source=true", 1, 1,
             nn::Tie::all, false, test::lstm_feeding_loss, test::lstm_feeding},
        Case{"recurrent attention=product", 1, 2, nn::Tie::none, true, test::gru_product_loss,
             test::gru_product},
        Case{"recurrent cell=lstm attention=none bidirectional=false reverse_source=true", 2, 1, nn::Tie::all,
             false, test::lstm_none_loss, test::lstm_none}}) {
    INFO(kind);
    auto options = options_of(kind);
    options.encoder_layers = encoder_layers;
    options.decoder_layers = decoder_layers;
    options.tie = tie;
    options.output_bias = output_bias;
    auto model = test::with_pattern(model_of(options));
    auto& decoder = models::sequence_to_sequence(*model);
    const auto logits = decoder.logits(decoder.states(source(), target()));
    // Nobody looks at what stands at a target's padding, but the reference has read it, too.
    CHECK(difference(logits.flatten(0, 1), reference.output) < 1e-10);
    const auto loss = test::loss_of(logits);
    CHECK(loss.item<double>() == Approx(expected).epsilon(1e-11));
    loss.backward();
    test::check_slopes(*model, reference);
  }
}

TEST_CASE("recurrent models keep to the rules of kinds") {
  for (const auto& kind : all_kinds()) {
    for (const auto& check : models::check_kind(*variants::parse(kind))) {
      INFO(kind << ", " << check.what << ": " << check.found);
      CHECK(check.passed);
    }
  }
}

TEST_CASE("dropout in a recurrent model does not see how an update is cut into batches") {
  for (const auto& kind : all_kinds()) {
    INFO(kind);
    auto options = options_of(kind);
    options.dropout = 0.4;
    auto model = model_of(options);
    auto& decoder = models::sequence_to_sequence(*model);
    const auto states = [&](const torch::Tensor& sources, const torch::Tensor& targets,
                            std::vector<std::int64_t> examples) {
      const ops::DropoutScope scope(5, 1, std::move(examples));
      return decoder.states(sources, targets);
    };
    const auto both = states(source(), target(), {7, 9});
    const auto alone = states(source().slice(0, 1).slice(1, 0, 3), target().slice(0, 1).slice(1, 0, 3), {9});
    CHECK(difference(both[1].slice(0, 0, 3), alone[0]) < 1e-6);
    CHECK(difference(both, states(source(), target(), {7, 8})) > 0.01);
    model->eval();
    CHECK(difference(both, states(source(), target(), {7, 9})) > 0.01);
  }
}

TEST_CASE("a recurrent model's operations are two for each weight of a matrix and token") {
  for (const auto& kind : all_kinds()) {
    INFO(kind);
    const auto options = options_of(kind);
    const models::TokenCounts counts{.source = 7, .target = 5, .source_target = 35};
    double expected = 0;
    for (const auto& parameter : model_of(options)->named_parameters()) {
      const auto& name = parameter.key();
      if (parameter.value().dim() != 2 || name.find("embedding") != std::string::npos) continue;
      if (name == "attention.score_weight") continue;  // below, for each pair
      const bool of_source = name.starts_with("encoder") || name == "attention.key.weight";
      expected += 2.0 * static_cast<double>(parameter.value().numel()) * (of_source ? 7 : 5);
    }
    if (kind.find("none") == std::string::npos) expected += 35 * 4.0 * 8;  // score and sum
    CHECK(models::forward_flops(options, kVocabulary, counts).total() == Approx(expected));
    CHECK(models::uncounted_flops(options).empty());
  }
}

TEST_CASE("options of a recurrent model that contradict each other are refused by name") {
  auto odd = options_of("recurrent");
  odd.d_model = 9;
  CHECK_THROWS_WITH(model_of(odd), ContainsSubstring("model.d_model: expected an even number, or "
                                                     "bidirectional=false of model.kind, found '9'"));
  odd.kind = *variants::parse("recurrent bidirectional=false");
  CHECK_NOTHROW(model_of(odd));
  CHECK_THROWS_WITH(
      model_of(options_of("recurrent input_feeding=true")),
      ContainsSubstring("model.kind: expected attention=product with input_feeding=true, found 'additive'"));
  CHECK_THROWS_WITH(model_of(options_of("recurrent cell=rnn")),
                    ContainsSubstring("expected one of gru, lstm for cell of recurrent, found 'rnn'"));
}
