#include "transformer/models/kinds.h"

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/models/kind_check.h"
#include "transformer/models/size.h"

using namespace transformer;
using namespace transformer::models;

namespace {

/// The encoder-decoder under another name, with what the checks must find.
class Disguised : public EncoderDecoderImpl {
 public:
  static inline bool forgets = false;

  Disguised(const ModelOptions& options, const VocabularySizes& vocabulary, const variants::Values&)
      : EncoderDecoderImpl(small(options), vocabulary) {}

  torch::Tensor step(const torch::Tensor& ids, DecoderState& state) override {
    const auto logits = EncoderDecoderImpl::step(ids, state);
    return forgets && state.length() > 1 ? logits.flip({-1}) : logits;
  }
  using EncoderDecoderImpl::step;

 private:
  static ModelOptions small(ModelOptions options) {
    options.kind = {};
    options.encoder_layers = options.decoder_layers = 1;
    options.d_ff = 20;
    options.heads = 3;
    options.d_k = options.d_v = 4;
    options.tie = nn::Tie::none;
    return options;
  }
};

const variants::Choice& disguised() {
  static const variants::Choice choice = [] {
    add_kind<Disguised>({.name = "disguised", .about = "", .keys = {"model.d_model"}});
    return variants::Choice{"disguised", {}};
  }();
  return choice;
}

}  // namespace

TEST_CASE("without a kind a model is the encoder-decoder") {
  const ModelOptions options{.encoder_layers = 1, .decoder_layers = 1, .d_model = 16, .d_ff = 16, .heads = 2};
  const auto model = make(options, {11, 11});
  CHECK_FALSE(as_encoder_decoder(model).is_empty());
  CHECK(kind_of(model->options()) == "encoder-decoder");
}

TEST_CASE("a kind is made by its name, and its numbers are counted from its module") {
  const ModelOptions options{.kind = disguised(), .d_model = 12};
  const auto model = make(options, {11, 13});
  std::int64_t numbers = 0;
  for (const auto& parameter : model->parameters()) numbers += parameter.numel();
  CHECK(count_parameters(options, {11, 13}).total() == numbers);
  CHECK(uncounted_flops(options) == std::vector<std::string>{"model.kind: disguised"});
  CHECK_THROWS_WITH(make({.kind = {"nobody", {}}}, {11, 13}), ContainsSubstring("model.kind: expected"));
  CHECK_THROWS_WITH(count_parameters({.kind = {"nobody", {}}}, {11, 13}),
                    ContainsSubstring("model.kind: expected"));
  CHECK_THROWS_AS(add_kind<Disguised>({.name = "disguised", .about = ""}), InputError);
  CHECK_THROWS_AS(add_kind<Disguised>({.name = "encoder-decoder", .about = ""}), InputError);
}

TEST_CASE("the checks of a kind pass where it keeps to the rules, and find a decoder that forgets") {
  for (const auto& check : check_kind(disguised())) {
    INFO(check.what << ": " << check.found);
    CHECK(check.passed);
  }
  Disguised::forgets = true;
  int failed = 0;
  for (const auto& check : check_kind(disguised())) failed += check.passed ? 0 : 1;
  Disguised::forgets = false;
  CHECK(failed >= 2);
}
