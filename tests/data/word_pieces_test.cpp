#include "transformer/data/word_pieces.h"

#include "tests/catch.h"
#include "tests/data/constants_word_pieces.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/data/answers.h"
#include "transformer/data/masked_texts.h"
#include "transformer/data/options.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/word_begins.h"

using namespace transformer;
using data::WordPieces;
using Ids = std::vector<std::int32_t>;

namespace {

WordPieces small(const data::WordPieceOptions& options = {}) {
  const std::vector<std::string> pieces{"[UNK]",  "[PAD]", "[CLS]", "[SEP]", "<mask>", "un", "##aff",
                                        "##able", "a",     "'",     "s",     "[",      "]",  "mask"};
  return {WordPieces::content_of(pieces, options), "m"};
}

/// The parts of a text between marks.
std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == mark)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

TEST_CASE("WordPiece gives the ids of transformers for hard lines") {
  struct Case {
    data::WordPieceOptions options;
    const std::vector<Ids>& ids;
  };
  const auto pieces = split_at(test::word_pieces, ' ');
  const auto lines = split_at(test::word_piece_lines, '\n');
  for (const auto& [options, ids] :
       {Case{{}, test::word_pieces_uncased},
        Case{{.lower_case = false, .strip_accents = false}, test::word_pieces_cased},
        Case{{.strip_accents = false}, test::word_pieces_accents},
        Case{{.lower_case = false}, test::word_pieces_cased_stripped},
        Case{{.chinese_characters = false}, test::word_pieces_joined}}) {
    const WordPieces tokenizer(WordPieces::content_of(pieces, options), "m");
    CHECK(tokenizer.options() == options);
    REQUIRE(ids.size() == lines.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      INFO(lines[i]);
      CHECK(tokenizer.encode(lines[i], 1000) == ids[i]);
    }
  }
}

TEST_CASE("a word is its longest pieces, or unknown as a whole") {
  const auto tokenizer = small();
  CHECK(tokenizer.encode("unaffable unable unaff", 100) == Ids{5, 6, 7, 5, 7, 5, 6});
  CHECK(tokenizer.encode("UNAFFABLE a's", 100) == Ids{5, 6, 7, 8, 9, 10});
  CHECK(tokenizer.encode("unaffx a", 100) == Ids{0, 8});
  CHECK(tokenizer.encode("a a a a", 1) == Ids{8, 8});
  CHECK(tokenizer.encode("a", 0) == Ids{8});
  CHECK(tokenizer.encode("[MASK] [UNK]", 100) == Ids{11, 13, 12, 11, 0, 12});  // names are text
  CHECK(tokenizer.encode("<mask>", 100) == Ids{0, 13, 0});
  CHECK(tokenizer.encode("a\xC3 \xFF"
                         "a",
                         100) == Ids{8, 8});  // what is no UTF-8 is left out
  std::string long_text;
  for (int i = 0; i < 100000; ++i) long_text += "a ";
  CHECK(tokenizer.encode(long_text, 200000) == Ids(100000, 8));
}

TEST_CASE("a tokenizer of WordPiece is saved, loaded and decoded") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "tokenizer.model";
  const auto content = WordPieces::content_of(small().vocabulary().pieces(), {.lower_case = false});
  const auto made = data::Tokenizer::of_content(content, "vocab.txt");
  made.copy_to(file);
  const data::Tokenizer tokenizer(file);
  REQUIRE(tokenizer.word_pieces() != nullptr);
  CHECK(tokenizer.pairs() == nullptr);
  CHECK_FALSE(tokenizer.word_pieces()->options().lower_case);
  CHECK(tokenizer.size() == 14);
  CHECK(tokenizer.mask() == 4);
  CHECK(tokenizer.encode("a UN unable") == Ids{8, 0, 5, 7});
  CHECK(tokenizer.decode(Ids{2, 8, 9, 10, 5, 7, 0, 3, 1}) == "a ' s unable [UNK]");
  CHECK(tokenizer.bytes_of(7) == "able");
  CHECK(tokenizer.bytes_of(5) == " un");
  CHECK(tokenizer.normalized("\tA\x01") == " A");
  const auto begins = data::word_begins(tokenizer);
  CHECK(begins[5]);
  CHECK_FALSE(begins[7]);
  CHECK_THROWS_AS(tokenizer.with_begin("a"), InputError);
}

TEST_CASE("damaged content of WordPiece is refused by name") {
  const auto refused = [](const std::string& content, const std::string& words) {
    CHECK_THROWS_WITH(data::Tokenizer::of_content(content, "m"), ContainsSubstring(words));
  };
  const auto good = small().vocabulary().pieces();
  const auto content = WordPieces::content_of(good, {});
  const std::string expected = "m: expected options and pieces of WordPiece";
  refused("WordPiece lower_case=2 strip_accents=1 chinese_characters=1\na\n", expected);
  refused("WordPiece \n", expected);
  refused(content.substr(0, content.size() - 1), expected);
  refused(content.substr(0, content.find('\n')), expected);
  refused(content + "a\n", "found 'a' twice");
  refused(content.substr(0, content.find("[SEP]")), "expected 4 special pieces and others");
}

TEST_CASE("blanks of a text say which tokens are a word's, where pieces do not") {
  const auto content = WordPieces::content_of(small().vocabulary().pieces(), {});
  const auto tokenizer = data::Tokenizer::of_content(content, "vocab.txt");
  const auto words = data::tokens_by_word("unable\ta's \x01 a</s>x unable", tokenizer);
  REQUIRE(words.size() == 5);  // one of the six has no tokens
  const std::vector<std::int64_t> numbers{0, 1, 3, 4, 5}, first{0, 2, 5, 7, 8}, last{1, 4, 5, 7, 9};
  for (std::size_t i = 0; i < words.size(); ++i) {
    CHECK(words[i].word == numbers[i]);
    CHECK(words[i].tokens.first == first[i]);
    CHECK(words[i].tokens.last == last[i]);
  }
}
