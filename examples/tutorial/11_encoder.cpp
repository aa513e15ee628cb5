// Page 11: an encoder alone, pre-training and fine-tuning.
#include <cmath>
#include <string>
#include <vector>

#include "examples/tutorial/page.h"
#include "transformer/base/special_tokens.h"
#include "transformer/models/kinds.h"
#include "transformer/train/optimizers/adam.h"

using namespace transformer;

namespace {

// --- words
// Special tokens are 0 to 3, and the mask is 4.
constexpr std::int64_t kMask = 4;
const std::vector<std::string> kWords = {"cat", "dog", "cow",  "hen",    "saw",    "axe",
                                         "pen", "cup", "eats", "sleeps", "breaks", "rusts"};

/// <s> word word </s>: who eats or sleeps is an animal, and what breaks or rusts is a thing.
torch::Tensor sentences() {
  std::vector<torch::Tensor> all;
  for (std::int64_t noun = 0; noun < 8; ++noun)
    for (std::int64_t verb = 0; verb < 2; ++verb)
      all.push_back(
          torch::tensor({std::int64_t{kBos}, 5 + noun, 13 + verb + (noun < 4 ? 0 : 2), std::int64_t{kEos}}));
  return torch::stack(all);
}
// ---

// --- model
models::AnyModel encoder(models::Head head) {
  return models::make({.kind = {models::kEncoder, {}},
                       .encoder_layers = 1,
                       .d_model = 16,
                       .d_ff = 32,
                       .heads = 2,
                       .d_k = 8,
                       .d_v = 8,
                       .dropout = 0,
                       .encoder = {.head = head}},
                      {.source = 17, .target = head == models::Head::none ? 17 : kEos + 1 + 2});
}
// ---

// --- update
/// One step of Adam on the cross-entropy of the logits of some places.
void update(train::Adam& adam, const torch::Tensor& logits, const torch::Tensor& expected) {
  adam.clear_gradients();
  at::cross_entropy_loss(logits, expected).backward();
  adam.step(0.01);
}
// ---

// --- head
/// Teaches the head alone that two nouns are animals and two are things. Returns how many of the other four
/// it tells.
int fine_tune(models::AnyModel model) {
  auto& reader = models::text_encoder(*model);
  const auto logits = [&](const std::vector<std::int64_t>& nouns) {
    std::vector<torch::Tensor> texts;
    for (const auto noun : nouns)
      texts.push_back(torch::tensor({std::int64_t{kBos}, noun, std::int64_t{kEos}}));
    return reader.logits(reader.states(torch::stack(texts)).select(1, 0));  // of <s>
  };
  const auto weights = model->named_parameters();
  train::Adam adam({{"weight", weights["head.output.weight"]}, {"bias", weights["head.output.bias"]}}, {});
  for (int step = 0; step < 200; ++step) update(adam, logits({5, 6, 9, 10}), torch::tensor({0, 0, 1, 1}));
  return logits({7, 8, 11, 12}).argmax(-1).eq(torch::tensor({0, 0, 1, 1})).sum().item<int>();
}
// ---

}  // namespace

void tutorial::encoder() {
  section("sees");
  auto masked = ::encoder(models::Head::none);
  auto& reader = models::text_encoder(*masked);
  const auto text = sentences();
  auto other = text.clone();
  other.select(1, 2).fill_(16);
  ask("the first word's state depends on the second word:",
      !torch::equal(reader.states(text).select(1, 1), reader.states(other).select(1, 1)));

  section("masks");
  auto hidden = text.repeat({2, 1});  // each sentence twice: without its noun, and without its verb
  hidden.slice(0, 0, 16).select(1, 1).fill_(kMask);
  hidden.slice(0, 16, 32).select(1, 2).fill_(kMask);
  const auto expected = torch::cat({text.select(1, 1), text.select(1, 2)});
  const auto logits = [&] {
    const auto all = reader.logits(reader.states(hidden));
    return torch::cat({all.slice(0, 0, 16).select(1, 1), all.slice(0, 16, 32).select(1, 2)});
  };
  train::Adam adam(masked->named_parameters().pairs(), {});
  show("loss before", at::cross_entropy_loss(logits(), expected).item<double>(), 2);
  for (int step = 0; step < 300; ++step) update(adam, logits(), expected);
  show("loss after", at::cross_entropy_loss(logits(), expected).item<double>(), 2);
  show("as well as can be", (std::log(4.0) + std::log(2.0)) / 2, 2);

  section("fill");
  const auto p = torch::softmax(reader.logits(reader.states(torch::tensor({{2, 4, 13, 3}})))[0][1], -1);
  show("P(cat, dog, cow, hen)", p.slice(0, 5, 9), 2);
  show("P(saw, axe, pen, cup)", p.slice(0, 9, 13), 2);

  section("begin");
  const auto trained = masked->named_parameters();
  int from_nothing = 0, from_masks = 0;
  for (int model = 0; model < 10; ++model) {
    from_nothing += fine_tune(::encoder(models::Head::classes));
    auto begun = ::encoder(models::Head::classes);
    for (auto& parameter : begun->named_parameters())
      if (const auto* same = trained.find(parameter.key())) parameter.value().data().copy_(same->detach());
    from_masks += fine_tune(begun);
  }
  show("from nothing, of 40", from_nothing, 0);
  show("from masked words", from_masks, 0);
}
