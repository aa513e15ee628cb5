#include "transformer/models/encoder/encoder_only.h"

#include "tests/catch.h"
#include "tests/models/encoder/constants_torch.h"
#include "tests/models/tiny.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/models/kind_check.h"
#include "transformer/models/kinds.h"
#include "transformer/models/padded_ids.h"
#include "transformer/models/size.h"
#include "transformer/ops/sequences_of.h"

using namespace transformer;
using models::Head;
using test::difference;

namespace {

constexpr std::int64_t kTokens = 11;

models::Packed texts() {
  return {torch::tensor({2, 10, 4, 3, 9, 3, 2, 5, 6, 3}), ops::sequences_of({6, 4})};
}

models::ModelOptions tiny_encoder() {
  auto options = test::tiny();
  options.kind = {models::kEncoder, {}};
  options.tie = nn::Tie::none;
  return options;
}

models::ModelOptions tiny_bert(Head head = Head::none) {
  auto options = tiny_encoder();
  options.positions = nn::Positions::learned;
  options.max_positions = 6;
  options.activation = nn::Activation::gelu;
  options.output_bias = true;
  options.tie = nn::Tie::all;
  options.scale_embedding = false;
  options.norm_epsilon = 1e-12;
  options.embedding_norm = true;
  options.encoder = {.head = head, .output_transform = true, .segments = 2};
  return options;
}

models::ModelOptions tiny_albert() {
  auto options = tiny_bert();
  options.activation = nn::Activation::gelu_tanh;
  options.encoder.embedding_size = 6;
  return options;
}

models::ModelOptions bert(Head head = Head::none) {
  auto options = tiny_bert(head);
  options.encoder_layers = 12;
  options.d_model = 768;
  options.d_ff = 3072;
  options.heads = 12;
  options.d_k = options.d_v = 64;
  options.max_positions = 512;
  return options;
}

models::ModelOptions large_bert(Head head = Head::none) {
  auto options = bert(head);
  options.encoder_layers = 24;
  options.d_model = 1024;
  options.d_ff = 4096;
  options.heads = 16;
  return options;
}

std::int64_t count(const models::ModelOptions& options, std::int64_t tokens, std::int64_t labels) {
  const auto special = options.encoder.head == Head::none ? 0 : kEos + 1;
  return models::count_parameters(options, {tokens, labels + special}).total();
}

/// The states that a head reads: of each text's first token, or of chosen ones.
torch::Tensor chosen(const torch::Tensor& states, Head head) {
  return models::is_of_texts(head) ? states.index_select(0, torch::tensor({0, 6})) : states;
}

torch::Tensor masked_loss(const torch::Tensor& logits) {
  const auto places = torch::tensor({1, 4, 8});
  return at::cross_entropy_loss(logits.index_select(0, places), torch::tensor({7, 10, 4}), {},
                                at::Reduction::Mean, -100, 0.1);
}

}  // namespace

TEST_CASE("encoders alone, their losses and their gradients equal those of PyTorch and transformers") {
  struct Case {
    models::ModelOptions options;
    std::int64_t labels;
    double loss;
    const test::Reference& reference;
  };
  for (const auto& [options, labels, expected, reference] :
       {Case{tiny_encoder(), kTokens, test::encoder_paper_loss, test::encoder_paper},
        Case{tiny_bert(), kTokens, test::encoder_bert_loss, test::encoder_bert},
        Case{tiny_albert(), kTokens, test::encoder_albert_loss, test::encoder_albert},
        Case{tiny_bert(Head::classes), 3, test::encoder_classes_loss, test::encoder_classes},
        Case{tiny_bert(Head::number), 1, test::encoder_number_loss, test::encoder_number},
        Case{tiny_bert(Head::words), 3, test::encoder_words_loss, test::encoder_words}}) {
    const auto head = options.encoder.head;
    INFO(name_of(head));
    auto model =
        test::with_pattern(models::make(options, {kTokens, head == Head::none ? labels : labels + kEos + 1}));
    model->eval();
    auto& encoder = models::text_encoder(*model);
    const auto logits = encoder.logits(chosen(encoder.states(texts()), head));
    CHECK(difference(logits.flatten(), reference.output) < 1e-10);
    const auto padded = ops::pack(encoder.states(models::padded_ids(texts())), texts().sequences);
    CHECK(difference(encoder.logits(chosen(padded, head)).flatten(), reference.output) < 1e-10);
    const auto loss = [&] {
      switch (head) {
        case Head::none:
          return masked_loss(logits);
        case Head::classes:
          return at::cross_entropy_loss(logits, torch::tensor({2, 0}));
        case Head::number:
          return at::mse_loss(logits.squeeze(1), torch::tensor({0.5, -1.25}, torch::kDouble));
        case Head::words:
        case Head::span:  // BertForQuestionAnswering's layer is that of words with two labels; its loss:
                          // labels_test.cpp
          return at::cross_entropy_loss(logits.index_select(0, torch::tensor({1, 4, 8})),
                                        torch::tensor({1, 2, 0}));
      }
      no_such_choice();
    }();
    CHECK(loss.item<double>() == Approx(expected).epsilon(1e-11));
    loss.backward();
    test::check_slopes(*model, reference);
  }
}

TEST_CASE("an encoder alone keeps to the rules of kinds") {
  for (const auto& check : models::check_kind({models::kEncoder, {}})) {
    INFO(check.what << ": " << check.found);
    CHECK(check.passed);
  }
}

TEST_CASE("BERT base and large have the parameters that transformers counts") {
  CHECK(count(bert(), 30522, 30522) == test::bert_base_masks);
  CHECK(count(bert(Head::classes), 30522, 2) == test::bert_base_classes);
  CHECK(count(bert(Head::classes), 30522, 2) - (2 * 768 + 2) == test::bert_base);  // with the pooler
  CHECK(count(large_bert(), 30522, 30522) == test::bert_large_masks);
  CHECK(count(large_bert(Head::number), 30522, 1) - (1024 + 1) == test::bert_large);
  // The lecture's, of 30 000 tokens: 334.6 million.
  auto options = large_bert(Head::number);
  options.encoder.segments = 1;
  CHECK(count(options, 30000, 1) - (1024 + 1) == test::bert_large_30000);
  CHECK(models::stacks_of(options).encoder);
  for (const auto& [part, numbers] : models::count_parameters(options, {30000, 5}).parts())
    CHECK(part.find("decoder") == std::string::npos);
}

TEST_CASE("embeddings of their own size have the parameters and operations that ALBERT's have") {
  auto options = bert();
  options.encoder.embedding_size = 128;
  CHECK(count(options, 30000, 30000) == test::albert_base_masks_apart);
  models::TokenCounts counts;
  counts.add_pair(10, 2);
  const double layers = 12.0 * (10 * 2.0 * (4 * 768 * 768 + 2 * 768 * 3072) + 100 * 4.0 * 768);
  const auto masks = models::forward_flops(options, {30000, 30000}, counts);
  CHECK(masks.source == layers + 10 * 2.0 * 128 * 768);
  CHECK(masks.output == 2 * 2.0 * 128 * (768 + 30000));
  options.encoder.head = Head::classes;
  CHECK(models::forward_flops(options, {30000, 13}, counts).output == 2 * 2.0 * 768 * (768 + 9));
}

TEST_CASE("embeddings of their own size need a transform in front of masked tokens") {
  auto options = tiny_albert();
  options.encoder.output_transform = false;
  CHECK_THROWS_WITH(models::make(options, {kTokens, kTokens}),
                    ContainsSubstring("model.output_transform: expected true for masked tokens"));
  options.encoder.head = Head::words;
  auto model = models::make(options, {kTokens, 3 + kEos + 1});
  CHECK(models::text_encoder(*model).states(texts()).size(1) == options.d_model);
}

TEST_CASE("an encoder's operations are those of its layers and of the predicted tokens") {
  models::TokenCounts counts;
  counts.add_pair(10, 2);
  const double layers = 12.0 * (10 * 2.0 * (4 * 768 * 768 + 2 * 768 * 3072) + 100 * 4.0 * 768);
  const auto masks = models::forward_flops(bert(), {30522, 30522}, counts);
  CHECK(masks.source == layers);
  CHECK(masks.target == 0);
  CHECK(masks.output == 2 * 2.0 * 768 * (30522 + 768));
  CHECK(models::forward_flops(bert(Head::words), {30522, 13}, counts).output == 2 * 2.0 * 768 * 9);
}

TEST_CASE("an encoder's learned positions end a text that is too long") {
  auto model = models::make(tiny_bert(), {kTokens, kTokens});
  auto& encoder = models::text_encoder(*model);
  CHECK_THROWS_AS(encoder.states(torch::full({1, 7}, 4, torch::kLong)), InputError);
  CHECK_THROWS_AS(models::language_model(*model), InputError);
}

TEST_CASE("packed texts give an encoder what padded ones do, whatever ends a text has") {
  torch::manual_seed(4);
  auto model = models::make(tiny_bert(), {kTokens, kTokens});
  model->to(torch::kDouble);
  const models::Packed texts{torch::tensor({2, 3, 3, 5, 2, 4, 3, 6, 7, 3}), ops::sequences_of({4, 6})};
  auto& encoder = models::text_encoder(*model);
  model->eval();
  const auto padded = ops::pack(encoder.states(models::padded_ids(texts)), texts.sequences);
  CHECK(difference(padded, encoder.states(texts)) < 1e-6);
}
