#include "transformer/data/vocabulary.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/tokenizer_training.h"
#include "transformer/data/word_encoder.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;
using Pieces = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

TEST_CASE("a vocabulary numbers its pieces, and no text spells a special one") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.vocabulary.json";
  Vocabulary({"<unk>", "<pad>", "<s>", "</s>", "ä", ">>fra<<", "\"\n\\"}, "test").save(file);
  const Vocabulary vocabulary(file);
  CHECK(vocabulary.pieces() == Pieces{"<unk>", "<pad>", "<s>", "</s>", "ä", ">>fra<<", "\"\n\\"});
  CHECK(vocabulary.id_of("ä") == 4);
  CHECK(vocabulary.id_of(">>fra<<") == 5);
  CHECK(vocabulary.id_of("\"\n\\") == 6);
  CHECK(vocabulary.id_of("o") == kUnknown);
  CHECK(vocabulary.id_of("</s>") == kUnknown);
}

TEST_CASE("what is no vocabulary is refused with the file's name") {
  const TemporaryFolder folder;
  for (const auto* content : {"", "{", "{\"a\": 1}", "[\"<unk>\", 1, \"b\", \"c\", \"d\"]", "[\"a\", \"b\"]",
                              "[\"a\", \"b\", \"c\", \"d\", \"a\"]", "[\"\xff\"]", "[[[[[[[["}) {
    const auto file = folder.write("bad.vocabulary.json", content);
    CHECK_THROWS_AS(Vocabulary(file), InputError);
    CHECK_THROWS_WITH(Vocabulary(file), ContainsSubstring("bad.vocabulary.json: expected"));
  }
  CHECK_THROWS_AS(Vocabulary(folder.path() / "none.json"), InputError);
}

/// A tokenizer of the sample text, its model's pieces behind the special ones in reverse order.
Tokenizer reversed(const TemporaryFolder& folder, const Pieces& more = {}) {
  const auto model = folder.path() / "tokenizer.model";
  const auto english = test::english_lines(), german = test::german_lines();
  DataOptions options;
  options.vocabulary = 120;
  test::train_tokenizer({english, german}, options, model);
  auto pieces = Tokenizer(model).all_pieces();
  std::reverse(pieces.begin() + kEos + 1, pieces.end());
  pieces.insert(pieces.end(), more.begin(), more.end());
  return Tokenizer(model, Vocabulary(pieces, "test"));
}

TEST_CASE("with a vocabulary a tokenizer has the vocabulary's ids and the model's pieces") {
  const TemporaryFolder folder;
  const auto tokenizer = reversed(folder);
  const Tokenizer plain(folder.path() / "tokenizer.model");
  CHECK(tokenizer.has_vocabulary());
  CHECK_FALSE(plain.has_vocabulary());
  CHECK(tokenizer.size() == 120);
  WordEncoder encoder(tokenizer);
  for (const auto& line : test::german_lines()) {
    auto expected = plain.encode(line);
    for (auto& id : expected) id = 123 - id;
    CHECK(tokenizer.encode(line) == expected);
    CHECK(encoder.encode(line) == expected);
    CHECK(tokenizer.pieces(line) == plain.pieces(line));
    CHECK(tokenizer.decode(expected) == line);
  }
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.decode({}).empty());
  auto ids = tokenizer.encode("The woman");
  ids.insert(ids.begin(), {kBos, kPad});
  ids.push_back(kEos);
  CHECK(tokenizer.decode(ids) == "The woman");
  CHECK(tokenizer.encode("數") == Ids{tokenizer.encode("a 數").at(tokenizer.encode("a").size()), kUnknown});
  CHECK_THAT(tokenizer.decode(Ids{kUnknown}), ContainsSubstring("⁇"));
  CHECK_THROWS_AS(tokenizer.decode(Ids{120}), std::out_of_range);
  CHECK(tokenizer.id_of(plain.all_pieces()[50]) == 73);
}

TEST_CASE("a language code in front of a text is one piece, known or not") {
  const TemporaryFolder folder;
  const auto tokenizer = reversed(folder, {">>fra<<", "\xE2\x96\x81strange"});
  const auto plain = tokenizer.encode("The woman");
  auto expected = plain;
  expected.insert(expected.begin(), 120);
  CHECK(tokenizer.encode(">>fra<< The woman") == expected);
  CHECK(tokenizer.encode(">>fra<<The woman") == expected);
  expected.front() = kUnknown;
  CHECK(tokenizer.encode(">>deu<< The woman") == expected);
  CHECK(tokenizer.encode(">>fra<<") == Ids{120});
  CHECK(tokenizer.encode("The woman >>fra<<").size() > plain.size() + 1);
  // Pieces that the model has not are joined as they are.
  CHECK(tokenizer.decode(Ids{120}) == ">>fra<<");
  auto ids = plain;
  ids.push_back(121);
  CHECK(tokenizer.decode(ids) == "The woman strange");
}

TEST_CASE("all texts may begin with a piece, which none shows") {
  const TemporaryFolder folder;
  const auto plain = reversed(folder, {"__fr__", ">>fra<<"});
  CHECK(plain.begin() == kUnknown);
  const auto french = plain.with_begin("__fr__");
  CHECK(french.begin() == 120);
  auto expected = plain.encode("The woman");
  expected.insert(expected.begin(), 120);
  CHECK(french.encode("The woman") == expected);
  CHECK(french.decode(expected) == "The woman");
  CHECK(french.encode("").empty());
  CHECK(french.encode("  ").empty());
  CHECK(french.encode("The woman", 0).size() > 0);
  expected.front() = 121;  // a code in the text counts more
  CHECK(french.encode(">>fra<< The woman") == expected);
  CHECK_THROWS_WITH(plain.with_begin("__de__"), ContainsSubstring("expected a piece '__de__'"));

  const auto copy = folder.path() / "copy.model";
  french.copy_to(copy);
  CHECK(Tokenizer(copy).begin() == 120);
  CHECK(Tokenizer(copy).all_pieces() == plain.all_pieces());
  for (const auto* content :
       {R"({"begin": "__de__", "pieces": ["a", "b", "c", "d", "e"]})",
        R"({"begin": 4, "pieces": ["a", "b", "c", "d", "e"]})", R"({"begin": "e", "pieces": {}})",
        R"({"begin": "e"})", R"({"begin": "a", "pieces": ["a", "b", "c", "d", "e"]})"}) {
    folder.write("copy.vocabulary.json", content);
    CHECK_THROWS_AS(Tokenizer(copy), InputError);
    CHECK_THROWS_WITH(Tokenizer(copy), ContainsSubstring("copy.vocabulary.json: expected"));
  }
}

TEST_CASE("a copy of a tokenizer has its vocabulary, and the model's own numbering needs none") {
  const TemporaryFolder folder;
  const auto tokenizer = reversed(folder);
  const auto copy = folder.path() / "copy.model";
  tokenizer.copy_to(copy);
  CHECK(Tokenizer(copy).all_pieces() == tokenizer.all_pieces());
  CHECK(Tokenizer(copy).encode("The woman") == tokenizer.encode("The woman"));
  folder.write("copy.vocabulary.json", "[]");
  CHECK_THROWS_WITH(Tokenizer(copy), ContainsSubstring("copy.vocabulary.json"));

  const Tokenizer plain(folder.path() / "tokenizer.model");
  const Tokenizer same(plain.path(), Vocabulary(plain.all_pieces(), "test"));
  CHECK_FALSE(same.has_vocabulary());
  same.copy_to(folder.path() / "same.model");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "same.vocabulary.json"));
}

}  // namespace
}  // namespace transformer::data
