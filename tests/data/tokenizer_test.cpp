#include "transformer/data/tokenizer.h"

#include <algorithm>
#include <chrono>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/small_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"

namespace transformer::data {
namespace {

using test::has_unknown;
using test::small;
using test::TemporaryFolder;
using test::train;

TEST_CASE("a tokenizer gives back what it encoded and adds no special ids") {
  const TemporaryFolder folder;
  const auto tokenizer = train(folder, small());
  CHECK(tokenizer.size() == 120);
  CHECK(tokenizer.path() == folder.path() / "tokenizer.model");
  for (const auto& lines : {test::english_lines(), test::german_lines()}) {
    for (const auto& line : lines) {
      const auto ids = tokenizer.encode(line);
      REQUIRE(tokenizer.decode(ids) == line);
      REQUIRE(std::ranges::all_of(ids, [](auto id) { return id > kEos && id < 120; }));
    }
  }
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.decode({}).empty());
}

TEST_CASE("special ids leave no trace in decoded text, unknown ones a mark") {
  const TemporaryFolder folder;
  const auto tokenizer = train(folder, small());
  auto ids = tokenizer.encode("The woman");
  ids.insert(ids.begin(), kBos);
  ids.insert(ids.end(), {kEos, kPad, kPad});
  CHECK(tokenizer.decode(ids) == "The woman");
  CHECK_THAT(tokenizer.decode(std::vector<std::int32_t>{kUnknown}), ContainsSubstring("⁇"));
  CHECK_THROWS_AS(tokenizer.decode(std::vector<std::int32_t>{120}), std::out_of_range);
  CHECK_THROWS_AS(tokenizer.decode(std::vector<std::int32_t>{-1}), std::out_of_range);
}

TEST_CASE("text that looks like a special piece is plain text") {
  const TemporaryFolder folder;
  const auto tokenizer = train(folder, small());
  for (const auto* text : {"</s>", "<s>", "<pad>"}) {
    const auto ids = tokenizer.encode(text);
    CHECK(std::ranges::none_of(ids, [](auto id) { return id == kPad || id == kBos || id == kEos; }));
  }
}

TEST_CASE("unseen characters are unknown, or bytes with byte_fallback") {
  const std::vector<std::string> strange = {"😀🎉 and 👩‍👧", "שלום עולם", "مرحبا", "数学と物理",
                                            "ẞ¿Ω"};
  const TemporaryFolder folder;
  SECTION("without byte_fallback") {
    const auto tokenizer = train(folder, small());
    for (const auto& text : strange) CHECK(has_unknown(tokenizer.encode(text)));
  }
  SECTION("with byte_fallback") {
    auto options = small(400);
    options.byte_fallback = true;
    options.normalization = NormalizationRule::identity;
    const auto tokenizer = train(folder, options);
    for (const auto& text : strange) {
      const auto ids = tokenizer.encode(text);
      CHECK_FALSE(has_unknown(ids));
      CHECK(tokenizer.decode(ids) == text);
    }
  }
}

TEST_CASE("a very long text is encoded in parts") {
  const TemporaryFolder folder;
  const auto tokenizer = train(folder, small());
  std::vector<std::int32_t> expected;
  std::string text;
  while (text.size() < 3 * kEncodedAtOnce) {
    for (const auto& line : test::german_lines()) {
      const auto ids = tokenizer.encode(line);
      expected.insert(expected.end(), ids.begin(), ids.end());
      text += line + " ";
    }
  }
  SECTION("which changes nothing where it has blanks") {
    CHECK(tokenizer.encode(text) == expected);
    CHECK(tokenizer.encode(std::string(100'000, ' ') + text) == expected);
    CHECK(tokenizer.encode(std::string(100'000, ' ')).empty());
  }
  SECTION("and no further than necessary") {
    const auto beginning = tokenizer.encode(text, 1000);
    CHECK(beginning.size() > 1000);
    CHECK(beginning.size() < expected.size());
    CHECK(std::ranges::equal(beginning, std::span(expected).first(beginning.size())));
    CHECK(tokenizer.encode("Die Frau", 1000) == tokenizer.encode("Die Frau"));
  }
  SECTION("never inside a character") {
    std::string umlauts = "a";  // so that a part would end within one
    while (umlauts.size() < 3 * kEncodedAtOnce) umlauts += "ä";
    CHECK_FALSE(has_unknown(tokenizer.encode(umlauts)));
  }
  SECTION("in little time where no character is known") {
    std::string cats;
    while (cats.size() < 3'000'000) cats += "猫";
    const auto begun = std::chrono::steady_clock::now();
    CHECK(has_unknown(tokenizer.encode(cats)));
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));  // a minute in one part
  }
}

TEST_CASE("the normalization rule is the one asked for") {
  const TemporaryFolder folder;
  auto options = small(100);
  options.normalization = NormalizationRule::nmt_nfkc_cf;
  CHECK(train(folder, options).pieces("THE WOMAN") == train(folder, options).pieces("the woman"));
}

TEST_CASE("every id has its piece, and a piece its id") {
  const TemporaryFolder folder;
  const auto tokenizer = train(folder, small());
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) CHECK(tokenizer.id_of(tokenizer.piece_of(id)) == id);
  CHECK(tokenizer.piece_of(kEos) == "</s>");
  CHECK_THROWS_AS(tokenizer.piece_of(-1), std::out_of_range);
  CHECK_THROWS_AS(tokenizer.piece_of(static_cast<std::int32_t>(tokenizer.size())), std::out_of_range);
}

TEST_CASE("what is no tokenizer of this project is refused") {
  const TemporaryFolder folder;
  train(folder, small());
  const auto whole = test::content_of(folder.path() / "tokenizer.model");
  CHECK_THROWS_WITH(Tokenizer(folder.path() / "missing"), ContainsSubstring("missing"));
  CHECK_THROWS_AS(Tokenizer(folder.path()), InputError);
  CHECK_THROWS_AS(Tokenizer(folder.write("empty", "")), InputError);
  CHECK_THROWS_WITH(Tokenizer(folder.write("text", "Not a model.\n")),
                    ContainsSubstring("SentencePiece model"));
  for (const auto bytes : {std::size_t{1}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
    CHECK_THROWS_AS(Tokenizer(folder.write("cut", whole.substr(0, bytes))), InputError);
  }
}

}  // namespace
}  // namespace transformer::data
