#include "transformer/translation/token_texts.h"

#include "tests/catch.h"
#include "tests/generation/scripted_model.h"

using namespace transformer;

namespace {

std::vector<eval::Prediction> predictions(const data::Tokenizer& tokenizer, const std::string& text) {
  std::vector<eval::Prediction> all;
  for (const auto id : tokenizer.encode(text)) all.push_back({.token = id});
  all.push_back({.token = kEos});
  translation::TokenTexts(tokenizer).add_to(all);
  return all;
}

}  // namespace

TEST_CASE("bytes add a byte each, and the characters and words that begin in them") {
  const std::string text = "ab  c\nd\u00e9";
  const auto all = predictions(test::byte_tokenizer(), text);
  REQUIRE(all.size() == text.size() + 1);
  std::int32_t bytes = 0, characters = 0, words = 0;
  for (const auto& one : all) bytes += one.bytes, characters += one.characters, words += one.words;
  CHECK(bytes == 9);
  CHECK(characters == 8);
  CHECK(words == 3);
  CHECK(all[4].words == 1);  // "c"
  CHECK(all[8].characters == 0);
  CHECK(all.back().bytes == 0);
}

TEST_CASE("the marks of characters are blanks, and unknown ones count as one") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "tokenizer.model";
  int left = 1;
  data::count_characters_of([&](std::string& line) { return line = "a b", left-- > 0; },
                            {.normalization = data::NormalizationRule::identity}, file);
  const auto all = predictions(data::Tokenizer(file), "a bz");
  REQUIRE(all.size() == 5);
  CHECK(all[1].bytes == 1);
  CHECK(all[1].words == 0);
  CHECK(all[2].words == 1);
  CHECK(all[3].characters == 1);
  CHECK(all[3].words == 0);
}
