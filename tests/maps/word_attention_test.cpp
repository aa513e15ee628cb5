#include "transformer/maps/word_attention.h"

#include "tests/catch.h"
#include "transformer/base/error.h"

using namespace transformer;
using maps::AttentionKind;
using maps::Step;

namespace {

using Links = std::vector<std::pair<std::size_t, std::size_t>>;

/// "Ha us ist" over two layers with two heads each: "A" "house" to "Haus" "ist". Every weight is 0 but those
/// that a test sets.
maps::AttentionMap empty_map() {
  maps::AttentionMap map;
  map.source = {{"▁Ha", true}, {"us", false}, {"▁ist", true}, {"</s>", true, true}};
  map.read = {{"<s>", true, true}, {"▁a", true}, {"▁hou", true}, {"se", false}};
  map.target = {{"▁a", true}, {"▁hou", true}, {"se", false}, {"</s>", true, true}};
  for (auto* weights : {&map.encoder, &map.masked, &map.cross}) {
    *weights = {.layers = 2, .heads = 2, .queries = 4, .keys = 4};
    weights->values.resize(64);
  }
  return map;
}

float& weight(maps::AttentionWeights& weights, std::size_t layer, std::size_t head, std::size_t query,
              std::size_t key) {
  return weights.values[((layer * 2 + head) * 4 + query) * 4 + key];
}

std::string refusal(const std::string& heads) {
  try {
    (void)maps::parse_heads(heads);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("heads are named by layer and head, from 1") {
  CHECK(maps::parse_heads("2:3") == maps::HeadChoice{1, 2});
  CHECK(maps::parse_heads("2") == maps::HeadChoice{1, {}});
  CHECK(maps::parse_heads("all") == maps::HeadChoice{});
  for (const auto& choice : maps::all_choices(3, 2))
    CHECK(maps::parse_heads(maps::name_of(choice)) == choice);
  CHECK(maps::all_choices(3, 2).size() == 3 * 3 + 1);
  CHECK(maps::all_choices(1, 2).size() == 3);  // the mean of all is the layer's
  for (const char* bad : {"", "0", "1:0", "0:1", ":1", "1:", "1:2:3", "-1", "a", "1.5", "+1"}) {
    INFO(bad);
    CHECK(refusal(bad) ==
          "expected LAYER:HEAD, LAYER or all, counted from 1, found '" + std::string(bad) + "'");
  }
}

TEST_CASE("a word of several pieces sums its columns and takes the mean of its rows") {
  auto map = empty_map();
  weight(map.cross, 1, 0, 1, 0) = 0.5F;   // "hou" is written, over "Ha"
  weight(map.cross, 1, 0, 1, 1) = 0.25F;  // and over "us"
  weight(map.cross, 1, 0, 1, 3) = 0.25F;
  weight(map.cross, 1, 0, 2, 2) = 1;  // "se" over "ist"
  const auto words = maps::word_weights(map, AttentionKind::cross, {1, 0}, Step::writes);
  CHECK(words.queries == 2);
  CHECK(words.keys == 2);
  CHECK(words.values == std::vector<float>{0, 0, 0.375F, 0.5F});
  CHECK(words.special == std::vector<float>{0, 0.125F});
  const auto layer = maps::word_weights(map, AttentionKind::cross, {1, {}}, Step::writes);
  CHECK(layer.values == std::vector<float>{0, 0, 0.1875F, 0.25F});
  const auto all = maps::word_weights(map, AttentionKind::cross, {}, Step::writes);
  CHECK(all.values == std::vector<float>{0, 0, 0.09375F, 0.125F});
}

TEST_CASE("the step that reads a word is the one behind the step that writes it") {
  auto map = empty_map();
  weight(map.cross, 0, 0, 0, 2) = 1;  // <s> is read, "a" is written: over "ist"
  weight(map.cross, 0, 0, 1, 0) = 1;  // "a" is read
  weight(map.cross, 0, 0, 2, 1) = 1;  // "hou"
  weight(map.cross, 0, 0, 3, 1) = 1;  // "se"
  const auto writes = maps::word_weights(map, AttentionKind::cross, {0, 0}, Step::writes);
  CHECK(writes.values == std::vector<float>{0, 1, 1, 0});
  const auto reads = maps::word_weights(map, AttentionKind::cross, {0, 0}, Step::reads);
  CHECK(reads.values == std::vector<float>{1, 0, 1, 0});
}

TEST_CASE("each target word is linked to its largest source word, or to none where the end has more") {
  const maps::WordWeights words{.queries = 4,
                                .keys = 3,
                                .values = {0.1F, 0.6F, 0.2F, 0.3F, 0.3F, 0.1F, 0.1F, 0.0F, 0.2F, 0, 0, 0.5F},
                                .special = {0.1F, 0.3F, 0.7F, 0.5F}};
  CHECK(maps::aligned_words(words, false) == Links{{1, 0}, {0, 1}, {2, 3}});
  CHECK(maps::aligned_words(words, true) == Links{{1, 0}, {0, 1}, {2, 2}, {2, 3}});
  CHECK(maps::aligned_words({.queries = 2, .keys = 0, .special = {1, 1}}, true).empty());
}

TEST_CASE("self-attention is over words, too, and the begin and end tokens are none") {
  auto map = empty_map();
  // The encoder: "ist" attends to "Haus" more than to itself and the end.
  weight(map.encoder, 0, 1, 2, 0) = 0.25F;
  weight(map.encoder, 0, 1, 2, 1) = 0.25F;
  weight(map.encoder, 0, 1, 2, 2) = 0.375F;
  weight(map.encoder, 0, 1, 2, 3) = 0.125F;
  const auto encoder = maps::word_weights(map, AttentionKind::encoder, {0, 1}, Step::writes);
  CHECK(encoder.queries == 2);
  CHECK(encoder.values == std::vector<float>{0, 0, 0.5F, 0.375F});
  CHECK(maps::most_attended(encoder, 1) == std::size_t{0});
  // Masked attention: "house" is written when "a" and "hou" are read.
  weight(map.masked, 1, 1, 1, 0) = 0.25F;
  weight(map.masked, 1, 1, 1, 1) = 0.75F;
  weight(map.masked, 1, 1, 2, 0) = 1;
  const auto masked = maps::word_weights(map, AttentionKind::masked, {1, 1}, Step::writes);
  CHECK(masked.keys == 2);
  CHECK(masked.values == std::vector<float>{0, 0, 0.375F, 0});
  CHECK(masked.special == std::vector<float>{0, 0.625F});
  CHECK_FALSE(maps::most_attended(masked, 1));
  CHECK(maps::most_attended(masked, 1, true) == std::size_t{0});
  CHECK_FALSE(maps::most_attended({.queries = 1, .keys = 0, .special = {0}}, 0, true));
}

TEST_CASE("a head that the model lacks is refused by name") {
  const auto map = empty_map();
  CHECK_THROWS_WITH(maps::word_weights(map, AttentionKind::cross, {2, 0}, Step::writes),
                    "heads 3:1: expected a head of the model's 2 layers with 2 heads each");
  CHECK_THROWS_AS(maps::word_weights(map, AttentionKind::cross, {0, 2}, Step::writes), InputError);
}
