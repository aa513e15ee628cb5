#include "transformer/formats/proof.h"

#include <cmath>
#include <functional>
#include <limits>

#include "tests/formats/exported_model.h"

namespace transformer::formats {
namespace {

constexpr models::VocabularySizes kVocabulary{.source = 30, .target = 30};
constexpr double kTolerance = 1e-4;

Sample some_sentences(std::int64_t count = 12) {
  Sample sample{.origin = "random ids", .sentences = {}};
  const auto rows = test::random_sources(4, std::vector<std::int64_t>(static_cast<std::size_t>(count), 6),
                                         kVocabulary.source);
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    sample.sentences.emplace_back();
    for (std::int64_t j = 0; j < 1 + i % 6; ++j)  // of 1 to 6 tokens
      sample.sentences.back().push_back(static_cast<std::int32_t>(rows[i][j].item<std::int64_t>()));
  }
  return sample;
}

search::DecodeOptions searches() {
  return {.beam = 3, .length_offset = 4};
}

Proof proof_of(models::EncoderDecoder model, const Candidate& candidate) {
  return prove(model, candidate, some_sentences(), searches(), kTolerance);
}

/// One number differs: of a token that occurs, not of one that never does. A key's bias alone changes
/// nothing.
Weights with_one_changed(Weights weights, const std::string& name) {
  auto& changed = weights.at(name);
  changed = changed.clone();
  changed.flatten()[name == "embedding.weight" ? kEos * 16 : 0] += 0.5;
  return weights;
}

TEST_CASE("a model is proved equal to itself") {
  auto model = test::random_model(test::small_options(), kVocabulary);
  const auto proof = proof_of(model, candidate_of(model));
  CHECK(proof.holds());
  CHECK(proof.sentences == 12);
  CHECK(proof.logit_difference == 0.0);
  REQUIRE(proof.searches.size() == 2);
  for (const auto& search : proof.searches) {
    CHECK(search.equal == 12);
    CHECK(search.ties == 0);
  }
  CHECK_THAT(proof.table(), ContainsSubstring("greedy search") && ContainsSubstring("beam 3, alpha 0.6") &&
                                ContainsSubstring("12 sentences: random ids"));
}

TEST_CASE("a model that computes no numbers is not compared") {
  auto model = test::random_model(test::small_options(), kVocabulary);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->named_parameters())
    if (parameter.key().ends_with("inner.weight")) parameter.value().fill_(3e38);
  const auto proof = proof_of(model, candidate_of(model));
  CHECK(proof.diverged);
  CHECK_FALSE(proof.holds());
}

TEST_CASE("the beam of one is greedy search and is not searched twice") {
  auto model = test::random_model(test::small_options(), kVocabulary);
  auto options = searches();
  options.beam = 1;
  CHECK(prove(model, candidate_of(model), some_sentences(), options, kTolerance).searches.size() == 1);
}

TEST_CASE("any weight that has changed is noticed") {
  auto model = test::random_model(test::small_options(), kVocabulary);
  for (const auto& [name, ignored] : weights_of(model)) {
    INFO(name);
    const auto candidate = candidate_of(
        model_with(with_one_changed(weights_of(model), name), model->options(), kVocabulary, "test"));
    const auto proof =
        prove(model, candidate, some_sentences(8), {.beam = 1, .length_offset = 4}, kTolerance);
    CHECK_FALSE(proof.holds());
    CHECK(proof.logit_difference > kTolerance);
  }
}

TEST_CASE("a language model is compared by the continuations of texts, and any changed weight is noticed") {
  const auto options = test::llama_options();
  const auto model = test::random_language_model(options, kVocabulary.target);
  auto sample = some_sentences(8);
  sample.sentences.emplace_back();     // an empty text
  sample.sentences.emplace_back(200);  // more than a continuation is made of
  for (auto& id : sample.sentences.back()) id = 9;
  const auto proof = prove(model, candidate_of(model), sample, searches(), kTolerance);
  CHECK(proof.holds());
  REQUIRE(proof.searches.size() == 1);
  CHECK(proof.searches[0].equal == 10);
  CHECK_THAT(proof.table(), ContainsSubstring("greedy continuation"));
  for (const auto& [name, ignored] : weights_of(model)) {
    INFO(name);
    const auto candidate =
        candidate_of(model_with(with_one_changed(weights_of(model), name), options, kVocabulary, "test"));
    CHECK_FALSE(prove(model, candidate, sample, searches(), kTolerance).holds());
  }
}

TEST_CASE("a continuation that differs is accepted where two tokens are as good, and else noticed") {
  auto model = test::random_language_model(test::small_options(), kVocabulary.target);
  const auto sample = some_sentences(6);
  auto candidate = candidate_of(model);
  const auto search = candidate.search;
  candidate.search = [&](const torch::Tensor& text, const search::DecodeOptions& how) {
    auto found = search(text, how);
    auto& ids = found.front().ids;
    if (ids.empty())
      ids.push_back(9);
    else
      ids.back() = ids.back() == 9 ? 10 : 9;
    return found;
  };
  CHECK_FALSE(prove(model, candidate, sample, searches(), kTolerance).holds());
  const auto close = prove(model, candidate, sample, searches(), Tolerance{1e3});
  CHECK(close.searches[0].ties == 6);
}

TEST_CASE("outputs that differ are accepted where the model gives both the same score, and are counted") {
  auto options = test::small_options();
  options.tie = nn::Tie::none;
  auto model = test::random_model(options, kVocabulary);
  const auto source = test::random_sources(4, {6}, kVocabulary.source);
  const auto one = candidate_of(model).search(source, searches()).front().ids.at(0), other = one == 8 ? 9 : 8;
  {
    const torch::NoGradGuard no_gradients;  // two tokens that nothing tells apart
    model->output->weight[other] = model->output->weight[one];
    model->target_embedding->weight[other] = model->target_embedding->weight[one];
  }
  auto candidate = candidate_of(model);
  const auto search = candidate.search;
  candidate.search = [&](const torch::Tensor& source, const search::DecodeOptions& how) {
    auto found = search(source, how);
    for (auto& hypothesis : found)
      for (auto& id : hypothesis.ids)
        if (id == one || id == other) id = one + other - id;
    return found;
  };
  const auto proof = proof_of(model, candidate);
  CHECK(proof.holds());
  CHECK(proof.searches[0].ties > 0);
  CHECK(proof.searches[0].equal + proof.searches[0].ties == 12);
  CHECK_THAT(proof.table(), ContainsSubstring("ties"));
}

TEST_CASE("a search that misses better outputs, or answers with too few, is noticed") {
  auto model = test::random_model(test::small_options(), kVocabulary);
  auto candidate = candidate_of(model);
  const auto search = candidate.search;
  SECTION("a token is left out") {
    candidate.search = [&](const torch::Tensor& source, const search::DecodeOptions& how) {
      auto found = search(source, how);
      if (!found.front().ids.empty()) found.front().ids.pop_back();
      return found;
    };
  }
  SECTION("a sentence is left out") {
    candidate.search = [&](const torch::Tensor& source, const search::DecodeOptions& how) {
      auto found = search(source, how);
      found.pop_back();
      return found;
    };
  }
  SECTION("a score is wrong") {
    candidate.search = [&](const torch::Tensor& source, const search::DecodeOptions& how) {
      auto found = search(source, how);
      found.back().score += 0.1;
      return found;
    };
  }
  const auto proof = proof_of(model, candidate);
  CHECK_FALSE(proof.holds());
  CHECK(proof.logit_difference == 0.0);
}

TEST_CASE("logits that are no numbers, or of another shape, are as different as can be") {
  auto model = test::random_model(test::small_options(), kVocabulary);
  auto candidate = candidate_of(model);
  const auto logits = candidate.logits;
  SECTION("no numbers") {
    candidate.logits = [&](const torch::Tensor& source, const torch::Tensor& target) {
      return logits(source, target) * std::nan("");
    };
  }
  SECTION("another shape") {
    candidate.logits = [&](const torch::Tensor& source, const torch::Tensor& target) {
      return logits(source, target).slice(-1, 1);
    };
  }
  const auto proof = proof_of(model, candidate);
  CHECK_FALSE(proof.holds());
  CHECK(proof.logit_difference == std::numeric_limits<double>::infinity());
}

/// With tokens that are forbidden as imported models forbid them.
models::EncoderDecoder model_that_forbids(std::initializer_list<std::int64_t> tokens) {
  auto options = test::small_options();
  options.output_bias = true;
  auto model = test::random_model(options, kVocabulary);
  const torch::NoGradGuard no_gradients;
  for (const auto token : tokens) model->output_bias[token] = -1e4;
  return model;
}

/// Logits that differ from the model's; its searches.
Candidate with_logits(models::EncoderDecoder model, std::function<void(torch::Tensor&)> change) {
  auto candidate = candidate_of(model);
  candidate.logits = [logits = candidate.logits, change](const torch::Tensor& source,
                                                         const torch::Tensor& target) {
    auto changed = logits(source, target).clone();
    change(changed);
    return changed;
  };
  return candidate;
}

TEST_CASE("what is never produced, or impossible, need not be equal") {
  auto model = model_that_forbids({kBos, 7});
  const auto proof = proof_of(model, with_logits(model, [](torch::Tensor& logits) {
                                logits.select(-1, kPad) += 3;
                                logits.select(-1, kBos) += 3;
                                logits.select(-1, 7) += 0.01;
                              }));
  CHECK(proof.holds());
  CHECK(proof.logit_difference == 0);
  CHECK(proof.largest_logit < 100);
}

TEST_CASE("that something is impossible must be equal") {
  auto model = model_that_forbids({kBos, 7});
  auto weights = weights_of(model);
  weights.at("output_bias") = weights.at("output_bias").clone();
  weights.at("output_bias")[7] = 0;
  const auto proof =
      proof_of(model, candidate_of(model_with(weights, model->options(), kVocabulary, "test")));
  CHECK_FALSE(proof.holds());
  CHECK(proof.logit_difference > 50);
}

TEST_CASE("small errors are noticed, also beside what is forbidden") {
  auto model = model_that_forbids({kBos, 7});
  auto options = model->options();
  auto weights = weights_of(model);
  SECTION("another epsilon of the layer norms") {
    options.norm_epsilon = 1e-4;
  }
  SECTION("a weight that is a little larger") {
    auto& weight = weights.at("decoder.layers.0.feed_forward.outer.weight");
    weight = weight.clone();
    weight[3][5] *= 1.01;
  }
  SECTION("a bias that is gone") {
    auto& bias = weights.at("encoder.layers.1.feed_forward.outer.bias");
    bias = torch::zeros_like(bias);
  }
  SECTION("another activation") {
    options.activation = nn::Activation::gelu;
  }
  const auto proof = proof_of(model, candidate_of(model_with(weights, options, kVocabulary, "test")));
  INFO(proof.table());
  CHECK_FALSE(proof.holds());
  CHECK(proof.largest_logit < 10);
}

TEST_CASE("logits may differ in proportion to the largest") {
  auto options = test::small_options();
  options.tie = nn::Tie::none;
  auto model = test::random_model(options, kVocabulary);
  {
    const torch::NoGradGuard no_gradients;
    model->output->weight.mul_(20);
  }
  const auto differing = [&](double share) {
    return proof_of(model, with_logits(model, [share](torch::Tensor& logits) { logits *= 1 + share; }));
  };
  const auto close = differing(5e-6);
  CHECK(close.holds());
  CHECK(close.logit_difference > kTolerance);
  CHECK(close.largest_logit > 50);
  CHECK(close.tolerance.close == Approx(kTolerance * close.largest_logit / 10));
  CHECK_FALSE(differing(5e-5).holds());
  {
    const torch::NoGradGuard no_gradients;
    model->output->weight.mul_(0.02);
  }
  const auto small = differing(3e-5);
  CHECK_FALSE(small.holds());
  CHECK(small.logit_difference < kTolerance);
  CHECK(differing(5e-6).holds());
}

TEST_CASE("logits that differ more are accepted where all outputs are equal, if the tolerance says so") {
  auto model = test::random_model(test::small_options(), kVocabulary);
  auto candidate = with_logits(model, [](torch::Tensor& logits) { logits += 0.2; });
  const auto prove_with = [&](const Tolerance& tolerance) {
    return prove(model, candidate, some_sentences(), searches(), tolerance);
  };
  CHECK(prove_with({0.1, 0.3, 10}).holds());
  CHECK_THAT(prove_with({0.1, 0.3, 10}).table(), ContainsSubstring("<= 3.0e-01"));
  CHECK_FALSE(prove_with({0.1, 0.1, 10}).holds());
  CHECK_FALSE(prove_with({0.01, 0.1, 10}).holds());
  candidate.search = [search = candidate.search](const torch::Tensor& source,
                                                 const search::DecodeOptions& how) {
    auto found = search(source, how);
    found.front().score += 100;
    return found;
  };
  CHECK_FALSE(prove_with({0.1, 0.3, 10}).holds());
  CHECK_THAT(prove_with({0.1, 0.3, 10}).table(), ContainsSubstring("<= 1.0e-01"));
}

TEST_CASE("texts must be cut into the same tokens, unless some are unknown") {
  auto model = test::random_model(test::small_options(), kVocabulary);
  auto sample = some_sentences(3);
  sample.sentences[1] = {9, kUnknown, 8};
  sample.texts = {"a", "b", ""};
  auto candidate = candidate_of(model);
  const auto encoding = [&](const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
    candidate.encode = [=](const std::string& text) { return text == "a" ? a : b; };
    return prove(model, candidate, sample, searches(), kTolerance);
  };
  const auto first = sample.sentences[0], second = sample.sentences[1];
  CHECK(encoding(first, second).holds());
  CHECK_THAT(encoding(first, second).table(),
             ContainsSubstring("texts as tokens") && ContainsSubstring("2 of 2"));
  CHECK(encoding(first, {9, 10, 8}).holds());
  CHECK_THAT(encoding(first, {9, 10, 8}).table(), ContainsSubstring("1 + 1 unknown"));
  CHECK_FALSE(encoding({first[0], 9}, second).holds());
}

}  // namespace
}  // namespace transformer::formats
