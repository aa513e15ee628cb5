// Page 9: a decoder without a source.
#include <cmath>

#include "examples/tutorial/page.h"
#include "transformer/models/kinds.h"
#include "transformer/nn/decoder.h"

using namespace transformer;

namespace {

// --- options
nn::StackOptions layers(bool source) {
  return {.layers = 2,
          .attention = {.d_model = 24, .heads = 8, .d_k = 3, .d_v = 3},
          .feed_forward = {.d_model = 24, .d_ff = 48},
          .residual = {.d_model = 24},
          .source = source};
}
// ---

// --- model
models::AnyModel language_model() {
  auto model = models::make({.kind = {models::kDecoder, {}},
                             .decoder_layers = 2,
                             .d_model = 24,
                             .d_ff = 48,
                             .heads = 8,
                             .d_k = 3,
                             .d_v = 3},
                            {.source = 10, .target = 10});
  model->eval();
  return model;
}
// ---

}  // namespace

void tutorial::decoder() {
  const torch::NoGradGuard none;
  section("layers");
  nn::DecoderLayer with(layers(true)), without(layers(false));
  show("with a source", static_cast<double>(count(*with)), 0);
  show("without", static_cast<double>(count(*without)), 0);
  show("an encoder's", static_cast<double>(count(*nn::EncoderLayer(layers(false)))), 0);

  section("logits");
  auto model = language_model();
  auto& language = models::language_model(*model);
  const auto text = torch::tensor({{2, 5, 6, 5, 7, 8}});  // the begin token, and five words
  const auto logits = language.logits(language.states(text));
  show_shape("text", text);
  show_shape("logits", logits);

  section("future");
  auto other = text.clone();
  other[0][5] = 9;
  const auto changed = language.logits(language.states(other));
  ask("the first five rows are as before:", torch::equal(logits.slice(1, 0, 5), changed.slice(1, 0, 5)));
  ask("the last one is:", torch::equal(logits.slice(1, 5), changed.slice(1, 5)));

  section("product");
  const auto logarithms = torch::log_softmax(logits[0], -1);
  double product = 1;
  for (int t = 0; t < 5; ++t) {
    const double probability = std::exp(logarithms[t][text[0][t + 1]].item<double>());
    show("P(word " + std::to_string(t + 1) + " | before)", probability);
    product *= probability;
  }
  show("P(text), in millionths", 1e6 * product);

  section("continue");
  const auto state = language.start(text.slice(1, 0, 5));  // all but the last word, at once
  const auto next = language.step(text.slice(1, 5), *state);
  ask("a step equals the whole text to 0.00001:",
      (next[0] - logits[0].slice(0, 5)).abs().max().item<double>() < 1e-5);
}
