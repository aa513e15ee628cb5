#include "transformer/data/character_vocabulary.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/tokenizer.h"

using namespace transformer;
using namespace transformer::data;

namespace {

using Pieces = std::vector<std::string>;

struct Made {
  test::TemporaryFolder folder;
  DataOptions options{.normalization = NormalizationRule::identity};

  LineSource lines(std::vector<std::string> all) const {
    return [all = std::move(all), i = std::size_t{0}](std::string& line) mutable {
      if (i == all.size()) return false;
      line = all[i++];
      return true;
    };
  }
  Tokenizer characters(std::vector<std::string> all) {
    count_characters_of(lines(std::move(all)), options, folder.path() / "tokenizer.model");
    return Tokenizer(folder.path() / "tokenizer.model");
  }
  Tokenizer bytes() {
    make_bytes(lines({}), options, folder.path() / "tokenizer.model");
    return Tokenizer(folder.path() / "tokenizer.model");
  }
};

}  // namespace

TEST_CASE("characters are numbered by how often they come, and text comes back as it was") {
  Made made;
  const auto tokenizer = made.characters({"aab ä", "a  b"});
  CHECK(tokenizer.all_pieces() == Pieces{"<unk>", "<pad>", "<s>", "</s>", "a", "\u2581", "b", "ä"});
  CHECK(tokenizer.encode("ab") == std::vector<std::int32_t>{4, 6});
  for (const std::string text : {" ab  ä ", "b", " ", "aaa"})
    CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
  CHECK(tokenizer.encode("az").back() == kUnknown);
  CHECK(tokenizer.encode("").empty());
}

TEST_CASE("the line end is a character of documents with several lines, as far as it is kept") {
  Made made;
  made.options.examples = ExampleKind::documents;
  CHECK(made.characters({"ab", "a"}).id_of("\n") == kUnknown);
  made.options.document = DocumentKind::file;
  const auto tokenizer = made.characters({"ab", "a"});
  CHECK(tokenizer.id_of("\n") > kEos);
  CHECK(tokenizer.decode(tokenizer.encode("a\nb\n\na")) == "a\nb\n\na");
  made.options.normalization = NormalizationRule::nmt_nfkc;  // makes it a blank
  CHECK(made.characters({"ab", "a"}).id_of("\n") == kUnknown);
}

TEST_CASE("rare characters are unknown, and so are those that the vocabulary has no room for") {
  Made made;
  made.options.min_frequency = 2;
  CHECK(made.characters({"aabbc"}).size() == kEos + 1 + 2);
  made.options.min_frequency = 1;
  made.options.vocabulary = kEos + 1 + 1;
  CHECK(made.characters({"bbac"}).all_pieces().back() == "b");
  made.options.min_frequency = 9;
  CHECK_THROWS_WITH(
      made.characters({"aab"}),
      ContainsSubstring("expected at most 2, as often as the training text's most frequent character"));
  CHECK_THROWS_WITH(made.characters({"", ""}), ContainsSubstring("found only empty lines"));
}

TEST_CASE("bytes spell every text, each with one token") {
  Made made;
  const auto tokenizer = made.bytes();
  CHECK(tokenizer.size() == kEos + 1 + 256);
  for (const std::string text : {"a b\n", " ä  漢字\t", "\u2581 ", "\xF0\x9F\x98\x80"}) {
    const auto ids = tokenizer.encode(text);
    REQUIRE(ids.size() == text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
      CHECK(ids[i] == kEos + 1 + static_cast<unsigned char>(text[i]));
    CHECK(tokenizer.decode(ids) == text);
  }
}

TEST_CASE("long texts of characters and bytes are encoded part by part without a difference") {
  Made made;
  std::string text;
  for (int i = 0; i < 30000; ++i) text += i % 7 == 0 ? " " : i % 11 == 0 ? "ä" : "x";
  const auto characters = made.characters({" xä"});
  CHECK(characters.decode(characters.encode(text)) == text);
  const auto bytes = made.bytes();
  CHECK(bytes.encode(text).size() == text.size());
  CHECK(bytes.decode(bytes.encode(text)) == text);
}
