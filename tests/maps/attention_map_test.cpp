#include "transformer/maps/attention_map.h"

#include "tests/catch.h"

using namespace transformer;

namespace {

/// "Haus" in two pieces, "ist", the end.
const std::vector<maps::Piece> kPieces{{"▁Ha", true}, {"us", false}, {"▁ist", true}, {"</s>", true, true}};

}  // namespace

TEST_CASE("pieces are joined to the words that they spell, special ones apart") {
  CHECK(maps::words_of(kPieces) == std::vector<std::size_t>{0, 0, 1, 2});
  CHECK(maps::word_texts(kPieces) == std::vector<std::string>{"Haus", "ist", "</s>"});
  const std::vector<maps::Piece> read{{"<s>", true, true}, {"us", false}, {"▁", true}, {"☃", false}};
  CHECK(maps::words_of(read) == std::vector<std::size_t>{0, 1, 2, 2});
  CHECK(maps::word_texts(read) == std::vector<std::string>{"<s>", "us", "☃"});
  CHECK(maps::words_of({}).empty());
  CHECK(maps::word_texts({}).empty());
}

TEST_CASE("a key word has the sum of its pieces, a query word the mean of its own") {
  // Queries of two pieces, one word; keys of three, two words.
  const std::vector<float> weights{0.5F, 0.25F, 0.25F, 0.125F, 0.125F, 0.75F};
  const std::vector<std::size_t> queries{0, 0}, keys{0, 0, 1};
  CHECK(maps::joined_words(weights, queries, keys) == std::vector<float>{0.5F, 0.5F});
  CHECK(maps::joined_words({}, {}, {}).empty());
}

TEST_CASE("weights lie by layer, head, query and key") {
  maps::AttentionWeights weights{.layers = 2, .heads = 3, .queries = 2, .keys = 4};
  for (int i = 0; i < 48; ++i) weights.values.push_back(static_cast<float>(i));
  CHECK(weights.of(1, 2).front() == 40.0F);
  CHECK(weights.of(1, 2).size() == 8);
  CHECK(weights.row(1, 2, 1).front() == 44.0F);
  CHECK(weights.row(0, 1, 0).back() == 11.0F);
}
