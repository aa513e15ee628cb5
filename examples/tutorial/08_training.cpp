// Page 8: section 5 with two sentences.
#include <array>
#include <cmath>

#include "examples/tutorial/page.h"
#include "transformer/base/special_tokens.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/train/optimizers/adam.h"

using namespace transformer;

namespace {

// --- words
// Source: merci 4, je 5, suis 6, étudiant 7. The target's, in their order from 0:
const std::vector<std::string> kTarget = {"<unk>", "<pad>", "<bos>",  "<eos>",  "a",
                                          "am",    "i",     "thanks", "student"};
// ---

/// A row for each position of the second sentence: the probability of each of the six words there.
void print_words(const torch::Tensor& logits) {
  const auto p = torch::softmax(logits[1], -1);
  std::printf("%8s", "");
  for (std::size_t word = 3; word < 9; ++word) std::printf(" %8s", kTarget[word].c_str());
  for (std::int64_t t = 0; t < 5; ++t) {
    std::printf("\n%-8s",
                kTarget[std::array<std::size_t, 5>{6, 5, 4, 8, 3}.at(static_cast<std::size_t>(t))].c_str());
    for (std::int64_t word = 3; word < 9; ++word) std::printf(" %8.2f", p[t][word].item<double>());
  }
  std::printf("\n");
}

}  // namespace

void tutorial::training() {
  section("data");
  const auto source = torch::tensor({{4, 3, 1, 1}, {5, 6, 7, 3}});
  const auto input = torch::tensor({{2, 7, 1, 1, 1}, {2, 6, 5, 4, 8}});   // begins, and lags one behind
  const auto labels = torch::tensor({{7, 3, 1, 1, 1}, {6, 5, 4, 8, 3}});  // what is to follow each
  const auto real = labels.ne(kPad).flatten().nonzero().squeeze(1);
  show("tokens to predict", static_cast<double>(real.numel()), 0);

  section("model");
  models::EncoderDecoder model(models::ModelOptions{.encoder_layers = 1,
                                                    .decoder_layers = 1,
                                                    .d_model = 16,
                                                    .d_ff = 32,
                                                    .heads = 2,
                                                    .d_k = 8,
                                                    .d_v = 8,
                                                    .dropout = 0,
                                                    .tie = nn::Tie::target},
                               models::VocabularySizes{.source = 8, .target = 9});
  show("parameters", static_cast<double>(count(*model)), 0);
  const auto loss = [&](double smoothing) {
    const auto logits = model->forward(source, input).flatten(0, 1).index_select(0, real);
    return ops::label_smoothed_loss(logits, labels.flatten().index_select(0, real), smoothing);
  };

  section("before");
  print_words(model->forward(source, input));
  show("a uniform guess of nine", std::log(9.0));
  show("a uniform guess of six", std::log(6.0));
  ask("the loss of a token lies above 1:", loss(0).nll.item<double>() / 7 > 1);

  section("train");
  train::Adam adam(model->named_parameters().pairs(), {});
  for (int update = 1; update <= 300; ++update) {
    adam.clear_gradients();
    (loss(0).smoothed / 7).backward();
    adam.step(0.01);
  }

  section("after");
  print_words(model->forward(source, input));
  ask("the loss of a token lies below 0.01:", loss(0).nll.item<double>() / 7 < 0.01);

  section("generate");
  const torch::NoGradGuard no_gradients;
  for (int sentence = 0; sentence < 2; ++sentence) {
    const auto encoded = model->encode(source.slice(0, sentence, sentence + 1));
    auto cache = model->start(encoded);
    auto token = torch::tensor({{kBos}}, torch::kLong);
    do {
      token = model->step(token, cache).argmax(-1);
      std::printf("%s%s", cache.length > 1 ? " " : "",
                  kTarget[static_cast<std::size_t>(token.item<int>())].c_str());
    } while (token.item<int>() != kEos && cache.length < 6);
    std::printf("\n");
  }
}
