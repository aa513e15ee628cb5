#include "transformer/models/encoder_decoder.h"

#include <torch/autograd.h>

#include "tests/catch.h"
#include "tests/cuda.h"
#include "tests/models/constants_torch.h"
#include "tests/models/reference_batch.h"
#include "tests/models/tiny.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/ops/sequences_of.h"
#include "transformer/runtime/device.h"

using namespace transformer;
using models::EncoderDecoder;
using models::ModelOptions;
using nn::NormPlacement;
using nn::Positions;
using nn::Tie;
using test::difference;
using test::loss_of;
using test::source;
using test::target;
using test::tiny;

namespace {

constexpr models::VocabularySizes kVocabulary{11, 11};

EncoderDecoder seeded(const ModelOptions& options, const models::VocabularySizes& sizes = kVocabulary) {
  torch::manual_seed(21);
  return EncoderDecoder(options, sizes);
}

torch::Tensor gradient(EncoderDecoder model, const torch::Tensor& weight) {
  return torch::autograd::grad({loss_of(model->forward(source(), target()))}, {weight})[0];
}

std::int64_t parameters(const ModelOptions& options, const models::VocabularySizes& sizes = kVocabulary) {
  std::int64_t count = 0;
  for (const auto& parameter : EncoderDecoder(options, sizes)->parameters()) count += parameter.numel();
  return count;
}

}  // namespace

TEST_CASE("without the source's end, that token changes nothing, padded or packed") {
  auto options = tiny(NormPlacement::pre);
  options.source_end = false;
  options.tie = Tie::none;
  auto model = seeded(options);
  model->eval();
  const torch::NoGradGuard no_gradients;
  const auto expected = model->decode(target(), model->encode(source()));  // (2, 4, 8)
  const models::Packed sources{torch::tensor({4, 5, 6, 7, 3, 8, 9, 3}), ops::sequences_of({5, 3})};
  const models::Packed targets{torch::tensor({2, 10, 4, 9, 2, 5, 6}), ops::sequences_of({4, 3})};
  const auto packed = model->states(sources, targets);
  CHECK(difference(packed.slice(0, 0, 4), expected[0]) < 1e-6);
  CHECK(difference(packed.slice(0, 4), expected[1].slice(0, 0, 3)) < 1e-6);
  // A source without words has its end.
  const auto empty = torch::tensor({{3, 1}, {5, 3}});
  const auto of_empty = model->encode({torch::tensor({3, 5, 3}), ops::sequences_of({1, 2})});
  CHECK(of_empty.sequences.rows() == 2);
  CHECK(difference(of_empty.rows, model->encode(empty).states.select(1, 0)) < 1e-6);
  model->source_embedding->weight[kEos] += 1;
  CHECK(torch::equal(model->decode(target(), model->encode(source())), expected));
  CHECK(torch::equal(model->states(sources, targets), packed));
}

TEST_CASE("a whole model, its loss and its gradients equal those of PyTorch's modules") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    const bool post = norm == NormPlacement::post;
    const auto& reference = post ? test::model_post : test::model_pre;
    auto model = test::with_pattern(seeded(tiny(norm)));
    const auto logits = model->forward(source(), target());
    CHECK(logits.sizes() == torch::IntArrayRef({2, 4, 11}));
    CHECK(difference(logits, reference.output) < 1e-10);
    const auto loss = loss_of(logits);
    CHECK(loss.item<double>() == Approx(post ? test::model_post_loss : test::model_pre_loss).epsilon(1e-11));
    loss.backward();
    test::check_slopes(*model, reference);
  }
}

TEST_CASE("the whole model's gradients equal finite differences") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto options = tiny(norm);
    options.positions = Positions::learned;
    options.d_k = 3;
    options.d_v = 5;
    auto model = seeded(options);
    model->to(torch::kDouble);
    test::check_gradients([&] { return loss_of(model->forward(source(), target())); }, model->parameters());
  }
}

TEST_CASE("a target position sees nothing that comes after it") {
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto model = seeded(tiny(norm));
    const torch::NoGradGuard no_gradients;
    const auto before = model->forward(source(), target());
    for (std::int64_t t = 0; t < 3; ++t) {
      INFO("tokens after " << t);
      auto changed = target();
      changed.slice(1, t + 1).copy_(torch::tensor({{7, 8, 3}, {9, 0, 10}}).slice(1, t));
      const auto after = model->forward(source(), changed);
      CHECK(difference(after.slice(1, 0, t + 1), before.slice(1, 0, t + 1)) < 1e-6);
      CHECK(difference(after.slice(1, t + 1), before.slice(1, t + 1)) > 1e-2);
    }
  }
}

TEST_CASE("a sentence's logits do not depend on padding or on its neighbours") {
  for (const auto positions : {Positions::interleaved, Positions::learned}) {
    auto options = tiny();
    options.positions = positions;
    auto model = seeded(options);
    const torch::NoGradGuard no_gradients;
    const auto together = model->forward(source(), target());
    const auto alone =
        model->forward(source().slice(0, 1).slice(1, 0, 3), target().slice(0, 1).slice(1, 0, 3));
    CHECK(difference(together[1].slice(0, 0, 3), alone[0]) < 1e-5);

    const auto padding = torch::full({2, 6}, kPad, torch::kLong);
    const auto padded =
        model->forward(torch::cat({source(), padding}, 1), torch::cat({target(), padding}, 1));
    CHECK(difference(padded.slice(1, 0, 4), together) < 1e-5);
  }
}

TEST_CASE("padding's embedding moves nothing but its own logit") {
  auto options = tiny();
  options.tie = Tie::none;
  auto model = seeded(options);
  CHECK(gradient(model, model->source_embedding->weight)[kPad].abs().max().item<double>() == 0.0);
  CHECK(gradient(model, model->target_embedding->weight)[kPad].abs().max().item<double>() == 0.0);
}

TEST_CASE("a source of padding alone gives finite logits and gradients") {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    auto model = seeded(tiny());
    model->to(type);
    auto ids = source();
    ids[1].fill_(kPad);
    const auto logits = model->forward(ids, target());
    CHECK(test::finite(logits));
    loss_of(logits).backward();
    for (const auto& parameter : model->parameters()) CHECK(test::finite(parameter.grad()));
  }
}

TEST_CASE("cached steps equal the whole decoder, through beams that grow, reorder and shrink") {
  const auto norm = GENERATE(NormPlacement::post, NormPlacement::pre);
  const auto positions =
      GENERATE(Positions::interleaved, Positions::halves, Positions::tensor2tensor, Positions::learned);
  for (const auto type : {torch::kDouble, torch::kFloat}) {
    auto options = tiny(norm);
    options.positions = positions;
    options.attention_bias = false;
    options.tie = norm == NormPlacement::post ? Tie::all : Tie::none;
    if (positions == Positions::halves) options.d_v = 3;
    auto model = seeded(options);
    model->to(type);
    model->eval();
    const torch::NoGradGuard no_gradients;
    const double tolerance = type == torch::kDouble ? 1e-12 : 1e-5;

    const auto encoded = model->encode(source());
    auto cache = model->start(encoded);
    auto targets = torch::full({2, 1}, kBos, torch::kLong);
    auto sentence = torch::tensor({0, 1});
    const auto check = [&](const torch::Tensor& logits) {
      INFO("after " << targets.size(1) << " tokens");
      const models::Encoded rows{encoded.states.index_select(0, sentence),
                                 encoded.mask.index_select(0, sentence)};
      const auto whole = model->logits(model->decode(targets, rows));
      CHECK(logits.sizes() == torch::IntArrayRef({targets.size(0), 11}));
      CHECK(difference(logits, whole.select(1, -1)) < tolerance);
    };
    const auto step = [&](const torch::Tensor& ids) {
      return model->step(ids.view({cache.sentences(), -1}), cache).flatten(0, 1);
    };
    const auto advance = [&](const std::vector<std::int64_t>& tokens) {
      const auto ids = torch::tensor(tokens);
      targets = torch::cat({targets, ids.unsqueeze(1)}, 1);
      check(step(ids));
    };
    const auto select = [&](const std::vector<std::int64_t>& hypotheses) {
      const auto rows = torch::tensor(hypotheses);
      cache.select_hypotheses(rows);
      targets = targets.index_select(0, rows);
      sentence = sentence.index_select(0, rows);
    };

    check(step(targets.squeeze(1)));
    select({0, 0, 0, 1, 1, 1});  // a beam of three for each sentence
    advance({4, 5, 6, 7, 8, 9});
    select({2, 0, 0, 5, 4, 3});  // survivors
    advance({10, 9, 8, 4, 5, 6});
    select({1, 0, 2, 3, 3, 3});
    advance({4, 4, 5, 6, 7, 8});
    select({3, 4, 5});  // the first sentence is finished
    cache.select_sentences(torch::tensor({1}));
    advance({9, 0, 3});
    CHECK(cache.length == 5);
  }
}

TEST_CASE("learned positions end where they were told to") {
  auto options = tiny();
  options.positions = Positions::learned;
  options.max_positions = 4;
  auto model = seeded(options);
  CHECK_THROWS_AS(model->encode(source()), InputError);
  CHECK_THROWS_WITH(model->encode(source()), ContainsSubstring("4 learned positions"));
  CHECK_NOTHROW(model->encode(source().slice(1, 0, 4)));
}

TEST_CASE("parameters are counted by hand for a few variations") {
  // One attention: 4 matrices of 8 x 8 and 4 biases. Feed-forward: 8 x 12 + 12 + 12 x 8 + 8. A norm: 16.
  const std::int64_t attention = 4 * 64, biases = 4 * 8, feed_forward = 212, norm = 16, embedding = 11 * 8;
  const std::int64_t encoder = attention + feed_forward + 2 * norm;
  const std::int64_t decoder = 2 * attention + feed_forward + 3 * norm;
  auto options = tiny();
  options.attention_bias = false;
  const std::int64_t base = embedding + 2 * encoder + 2 * decoder;
  CHECK(base == 2632);
  CHECK(parameters(options) == base);

  auto other = options;
  other.attention_bias = true;
  CHECK(parameters(other) == base + 6 * biases);
  other = options;
  other.output_bias = true;
  CHECK(parameters(other, {11, 11}) == parameters(options, {11, 11}) + 11);
  other = options;
  other.norm = NormPlacement::pre;
  CHECK(parameters(other) == base + 2 * norm);
  other = options;
  other.tie = Tie::target;
  CHECK(parameters(other, {11, 13}) == base + 13 * 8);
  other.tie = Tie::none;
  CHECK(parameters(other, {11, 13}) == base + 2 * 13 * 8);
  other = options;
  other.positions = Positions::learned;
  CHECK(parameters(other) == base + 2 * 20 * 8);
  other = options;
  other.encoder_layers = 1;
  other.decoder_layers = 3;
  CHECK(parameters(other) == base - encoder + decoder);
  other = options;
  other.d_k = 2;  // six attentions lose half of two of their matrices
  CHECK(parameters(other) == base - 6 * 2 * 32);
  other = options;
  other.d_v = 8;
  CHECK(parameters(other) == base + 6 * 2 * 64);
}

TEST_CASE("tied matrices are one parameter, which learns from each of its uses") {
  auto options = tiny();
  auto tied = seeded(options);
  CHECK(tied->named_parameters().contains("embedding.weight"));
  CHECK(tied->output_weight().is_same(tied->source_embedding->weight));
  CHECK(tied->output_weight().is_same(tied->target_embedding->weight));

  options.tie = Tie::target;
  auto target_tied = seeded(options);
  CHECK(target_tied->output_weight().is_same(target_tied->target_embedding->weight));
  CHECK_FALSE(target_tied->output_weight().is_same(target_tied->source_embedding->weight));

  options.tie = Tie::none;
  auto untied = seeded(options);
  CHECK_FALSE(untied->output_weight().is_same(untied->target_embedding->weight));
  {  // The same model three times: only what is shared differs.
    const torch::NoGradGuard no_gradients;
    const auto from = tied->named_parameters();
    for (const auto& model : {target_tied, untied})
      for (auto& parameter : model->named_parameters())
        parameter.value().copy_(
            from[from.contains(parameter.key()) ? parameter.key() : std::string("embedding.weight")]);
  }
  const auto in = gradient(untied, untied->source_embedding->weight);
  const auto out = gradient(untied, untied->target_embedding->weight);
  const auto projection = gradient(untied, untied->output_weight());
  for (const auto& part : {in, out, projection}) CHECK(part.abs().max().item<double>() > 1e-3);
  CHECK(difference(gradient(tied, tied->output_weight()), in + out + projection) < 1e-6);
  CHECK(difference(gradient(target_tied, target_tied->output_weight()), out + projection) < 1e-6);
  CHECK(difference(gradient(target_tied, target_tied->source_embedding->weight), in) < 1e-6);
}

TEST_CASE("vocabularies of different sizes cannot be tied to one matrix, but are fine apart") {
  auto options = tiny();
  CHECK_THROWS_WITH(seeded(options, {11, 13}), ContainsSubstring("11 and 13"));
  options.tie = Tie::target;
  CHECK(seeded(options, {11, 13})->forward(source(), target()).sizes() == torch::IntArrayRef({2, 4, 13}));
}

TEST_CASE("dropout falls on the sum of embedding and position, in training alone") {
  auto options = tiny();
  options.encoder_layers = 0;  // then the encoder's output is that sum
  options.dropout = 0.25;
  auto model = seeded(options);
  const auto ids = torch::randint(4, 11, {20, 15});
  model->eval();
  const auto plain = model->encode(ids).states;
  CHECK(torch::equal(model->encode(ids).states, plain));
  CHECK(difference(plain, model->source_positions(model->source_embedding(ids))) < 1e-7);
  model->train();
  const auto dropped = model->encode(ids).states;
  const auto kept = dropped.ne(0);
  CHECK(difference(dropped, plain * kept / 0.75) < 1e-5);
  CHECK(kept.to(torch::kDouble).mean().item<double>() == Approx(0.75).margin(0.045));  // five sigma
}

TEST_CASE("the seed decides a model's weights") {
  const auto first = seeded(tiny())->parameters(), second = seeded(tiny())->parameters();
  REQUIRE(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(torch::equal(first[i], second[i]));
}

TEST_CASE("bf16 products give nearly the logits and gradients of fp32") {
  auto options = tiny();
  options.d_model = options.d_ff = 64;
  options.d_k = options.d_v = 32;
  auto model = seeded(options);
  const auto exact = model->forward(source(), target());
  const auto exact_gradient = gradient(model, model->output_weight());
  const runtime::PrecisionScope scope(torch::kBFloat16);
  const auto rounded = model->forward(source(), target());
  CHECK(rounded.scalar_type() == torch::kBFloat16);
  CHECK(difference(rounded, exact) > 0.0);
  CHECK(difference(rounded, exact) < 0.03 * exact.abs().max().item<double>());
  const auto rounded_gradient = gradient(model, model->output_weight());
  CHECK(rounded_gradient.scalar_type() == torch::kFloat);
  CHECK((rounded_gradient - exact_gradient).norm().item<double>() <
        0.05 * exact_gradient.norm().item<double>());
}

TEST_CASE("a model computes the same on CUDA as on the CPU, at once and step by step", "[cuda]") {
  if (!test::has_cuda) {
    WARN("skipped: no CUDA device here");
    return;
  }
  const auto device = runtime::choose_device("cuda");
  auto model = seeded(tiny());
  const torch::NoGradGuard no_gradients;
  const auto expected = model->forward(source(), target());
  model->to(device);
  CHECK(difference(model->forward(source().to(device), target().to(device)).cpu(), expected) < 1e-3);
  auto cache = model->start(model->encode(source().to(device)));
  for (std::int64_t t = 0; t < 3; ++t)
    CHECK(difference(model->step(target().slice(1, t, t + 1).to(device), cache).cpu(),
                     expected.slice(1, t, t + 1)) < 1e-3);
}
