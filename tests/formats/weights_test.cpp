#include "transformer/formats/weights.h"

#include "tests/formats/exported_model.h"

namespace transformer::formats {
namespace {

using test::logit_difference;

constexpr models::VocabularySizes kSizes{.source = 30, .target = 30};

Candidate with(const Weights& weights, const models::ModelOptions& options) {
  return candidate_of(model_with(weights, options, kSizes, "test"));
}

TEST_CASE("weights make an equal model, in evaluation mode") {
  auto model = test::random_model(test::small_options(), kSizes);
  const auto weights = weights_of(model);
  CHECK(weights.size() == model->parameters().size());
  CHECK_FALSE(model_with(weights, model->options(), kSizes, "test")->is_training());
  CHECK(logit_difference(model, with(weights, model->options())) == 0.0);
}

TEST_CASE("larger heads compute the same") {
  for (const auto& [name, small] : test::variants()) {
    INFO(name);
    auto model = test::random_model(small, kSizes);
    auto options = small;
    auto weights = weights_of(model);
    pad_heads(weights, options, 13);
    CHECK(options.d_k == 13);
    CHECK(options.d_v == 13);
    const auto& output = weights.at("decoder.layers.0.source_attention.output.weight");
    CHECK(output.sizes() == torch::IntArrayRef({16, 13 * options.heads}));
    CHECK(logit_difference(model, with(weights, options)) < 1e-4);
  }
}

TEST_CASE("heads of the wanted size stay as they are") {
  auto model = test::random_model(test::small_options(), kSizes);
  auto options = model->options();
  auto weights = weights_of(model);
  pad_heads(weights, options, 8);
  CHECK(options == model->options());
  CHECK(logit_difference(model, with(weights, options)) == 0.0);
}

TEST_CASE("heads cannot shrink") {
  auto options = test::small_options();
  auto weights = weights_of(test::random_model(options, kSizes));
  CHECK_THROWS_AS(pad_heads(weights, options, 7), c10::Error);
}

TEST_CASE("attention biases of zero compute the same") {
  auto model = test::random_model(test::small_options(), kSizes);
  auto options = model->options();
  auto weights = weights_of(model);
  add_attention_biases(weights, options);
  CHECK(options.attention_bias);
  CHECK(weights.at("encoder.layers.1.self_attention.query.bias").sizes() == torch::IntArrayRef({16}));
  CHECK(logit_difference(model, with(weights, options)) < 1e-5);
}

TEST_CASE("attention biases that are there stay") {
  auto options = test::small_options();
  options.attention_bias = true;
  auto model = test::random_model(options, kSizes);
  auto weights = weights_of(model);
  add_attention_biases(weights, options);
  CHECK(logit_difference(model, with(weights, options)) == 0.0);
}

TEST_CASE("weights that do not fill a model are refused before it takes memory") {
  auto options = test::small_options();
  auto weights = weights_of(test::random_model(options, kSizes));
  options.d_ff = 1'000'000'000'000;
  test::check_refused([&] { model_with(weights, options, kSizes, "a file"); },
                      {"a file", "expected", "weights"});
}

TEST_CASE("weights of other names or shapes are refused by name") {
  const auto options = test::small_options();
  auto weights = weights_of(test::random_model(options, kSizes));
  const auto refused = [&](const Weights& changed, const std::vector<std::string>& expected) {
    test::check_refused([&] { model_with(changed, options, kSizes, "a file"); }, expected);
  };
  auto renamed = weights;
  auto moved = renamed.extract("embedding.weight");
  moved.key() = "embeddings.weight";
  renamed.insert(std::move(moved));
  refused(renamed, {"a file", "'embeddings.weight'"});
  weights["embedding.weight"] = weights["embedding.weight"].t();
  refused(weights, {"a file", "'embedding.weight'", "[30, 16]", "[16, 30]"});
}

}  // namespace
}  // namespace transformer::formats
