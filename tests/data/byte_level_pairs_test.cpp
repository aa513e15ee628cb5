#include "transformer/data/byte_level_pairs.h"

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/tokenizer.h"

using namespace transformer;
using Ids = std::vector<std::int32_t>;

// Ids of transformers' own: tests/formats/huggingface/huggingface_import_test.cpp.

namespace {

data::ByteLevelPairs small() {
  const std::vector<std::string> pieces{"<unk>", "<pad>", "<s>", "</s>", "a",   "b",
                                        "Ġ",     "Ã",     "¤",   "ab",   "Ġab", "aa"};
  return {data::ByteLevelPairs::content_of(pieces, {"a b", "Ġ ab", "a a"}), "m"};
}

}  // namespace

TEST_CASE("pairs of bytes are joined by their ranks, within words") {
  const auto pairs = small();
  CHECK(pairs.encode("ab ab", 100) == Ids{9, 10});
  CHECK(pairs.encode("aab", 100) == Ids{4, 9});  // the first merge first
  CHECK(pairs.encode("aaaa", 100) == Ids{11, 11});
  CHECK(pairs.encode("  ab", 100) == Ids{6, 10});
  CHECK(pairs.encode("ä", 100) == Ids{7, 8});
  CHECK(pairs.encode("", 100).empty());
  CHECK(pairs.encode("c", 100) == Ids{0});
  CHECK(pairs.encode("</s>", 100).back() != 3);
  CHECK(pairs.encode("ab ab ab ab", 1).size() == 2);
}

TEST_CASE("pieces spell bytes, and what is no UTF-8 becomes a replacement") {
  const auto pairs = small();
  CHECK(pairs.bytes_of(10) == " ab");
  CHECK(pairs.bytes_of(7) + pairs.bytes_of(8) == "ä");
  CHECK(data::as_utf8("a\xC3") == "a\uFFFD");
  CHECK(data::as_utf8("ä") == "ä");
  CHECK(pairs.encode("\xC3", 100) == Ids{7});
}

TEST_CASE("all texts may begin with one of the pieces") {
  const std::vector<std::string> pieces{"<unk>", "<pad>", "<s>", "</s>", "a", "b", "<begin>"};
  const auto plain = data::Tokenizer::of_content(data::ByteLevelPairs::content_of(pieces, {}), "m");
  const auto tokenizer = plain.with_begin("<begin>");
  CHECK(plain.begin() == kUnknown);
  CHECK(tokenizer.begin() == 6);
  CHECK(tokenizer.encode("ab") == Ids{6, 4, 5});
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.decode(Ids{2, 6, 4, 5, 3}) == "ab");
  CHECK(data::Tokenizer::of_content(tokenizer.serialized(), "m").begin() == 6);
  CHECK_THROWS_AS(plain.with_begin("c"), InputError);
}

TEST_CASE("damaged pairs of bytes are refused") {
  for (const auto* content : {"{", "{}", R"({"pieces": ["a", "b", "c", "d", "e"], "merges": [], "begin": 4})",
                              R"({"pieces": [1], "merges": []})", R"({"pieces": ["a"], "merges": []})",
                              R"({"pieces": ["a", "b", "c", "d", "d"], "merges": []})"})
    CHECK_THROWS_AS(data::ByteLevelPairs(content, "m"), InputError);
}
