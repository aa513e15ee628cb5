#include "transformer/models/shapes.h"

#include <map>

#include "tests/catch.h"
#include "tests/models/tiny.h"

using namespace transformer;

namespace {

using Sizes = std::vector<std::int64_t>;

std::map<std::string, Sizes> shapes_by_name(const models::ModelOptions& options) {
  models::EncoderDecoder model(options, models::VocabularySizes{30, 40});
  std::map<std::string, Sizes> found;
  for (auto& [name, sizes] : models::shapes_of(model, 5, 3)) {
    INFO(name);
    CHECK(found.emplace(name, sizes).second);
  }
  return found;
}

}  // namespace

TEST_CASE("shapes of the paper's model on the way from ids to logits") {
  auto options = test::tiny();
  options.d_k = 3;
  options.d_v = 5;
  options.tie = nn::Tie::none;
  const auto shapes = shapes_by_name(options);
  const std::map<std::string, Sizes> expected = {
      {"source", {1, 5}},
      {"source_embedding", {1, 5, 8}},
      {"source_positions", {1, 5, 8}},
      {"encoder.layers.0.self_attention.query", {1, 5, 6}},
      {"encoder.layers.0.self_attention.key, a head each", {1, 2, 5, 3}},
      {"encoder.layers.0.self_attention.value, a head each", {1, 2, 5, 5}},
      {"encoder.layers.0.self_attention: softmax(QKᵀ)", {1, 2, 5, 5}},
      {"encoder.layers.0.self_attention.output", {1, 5, 8}},
      {"encoder.layers.0.feed_forward.inner", {1, 5, 12}},
      {"encoder.layers.0.feed_forward", {1, 5, 8}},
      {"encoder.layers.0", {1, 5, 8}},
      {"encoder.layers.1", {1, 5, 8}},
      {"encoder", {1, 5, 8}},
      {"target", {1, 3}},
      {"target_embedding", {1, 3, 8}},
      {"target_positions", {1, 3, 8}},
      {"decoder.layers.0.self_attention.query", {1, 3, 6}},
      {"decoder.layers.0.self_attention.key, a head each", {1, 2, 3, 3}},
      {"decoder.layers.0.self_attention.value, a head each", {1, 2, 3, 5}},
      {"decoder.layers.0.self_attention: softmax(QKᵀ)", {1, 2, 3, 3}},
      {"decoder.layers.0.self_attention.output", {1, 3, 8}},
      {"decoder.layers.0.source_attention.query", {1, 3, 6}},
      {"decoder.layers.0.source_attention.key, a head each", {1, 2, 5, 3}},
      {"decoder.layers.0.source_attention.value, a head each", {1, 2, 5, 5}},
      {"decoder.layers.0.source_attention: softmax(QKᵀ)", {1, 2, 3, 5}},
      {"decoder.layers.0.source_attention.output", {1, 3, 8}},
      {"decoder.layers.0.feed_forward.inner", {1, 3, 12}},
      {"decoder.layers.0.feed_forward", {1, 3, 8}},
      {"decoder.layers.0", {1, 3, 8}},
      {"decoder.layers.1", {1, 3, 8}},
      {"decoder", {1, 3, 8}},
      {"logits", {1, 3, 40}}};
  CHECK(shapes == expected);
}

TEST_CASE(
    "shapes of other models: positions in attention, shared heads, layers without a feed-forward network") {
  auto options = test::tiny();
  options.positions = nn::Positions::relative;
  options.kv_heads = 1;
  options.attention_window = 2;
  options.feed_forward = nn::FeedForwardKind::none;
  options.norm = nn::NormPlacement::pre;
  options.tie = nn::Tie::none;
  const auto shapes = shapes_by_name(options);
  CHECK(shapes.at("encoder.layers.0.self_attention.key, a head each") == Sizes{1, 1, 5, 4});
  CHECK(shapes.at("encoder.layers.0.self_attention: softmax(QKᵀ)") == Sizes{1, 2, 5, 5});
  CHECK_FALSE(shapes.contains("encoder.layers.0.feed_forward"));
  CHECK(shapes.at("logits") == Sizes{1, 3, 40});
}

TEST_CASE("looking at shapes leaves a model in its mode") {
  models::EncoderDecoder model(test::tiny(), models::VocabularySizes{30, 30});
  for (const bool trains : {true, false}) {
    model->train(trains);
    models::shapes_of(model, 1, 1);
    CHECK(model->is_training() == trains);
  }
}
