#include "transformer/eval/tokenize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/eval/text.h"

// What is expected below was printed by sacreBLEU 2.6, its words joined by one space.

using namespace transformer::eval;

namespace {

struct Case {
  const char* line;
  const char* words;
};

void check(Tokenization tokenization, const std::vector<Case>& cases) {
  for (const auto& [line, words] : cases) {
    INFO("line: " << line);
    CHECK(fmt::format("{}", fmt::join(tokenize(line, tokenization), " ")) == words);
  }
}

}  // namespace

TEST_CASE("tokenization 13a keeps numbers and splits ASCII punctuation") {
  check(Tokenization::v13a,
        {
            {"", ""},
            {"   ", ""},
            {"Hello, world!", "Hello , world !"},
            {"It costs 1,234.56 euros, not 1.5.", "It costs 1,234.56 euros , not 1.5 ."},
            {"In 2017, 3-4 well-known cases (a-b).", "In 2017 , 3 - 4 well-known cases ( a-b ) ."},
            {"a..b ...", "a . . b . . ."},
            {"e.g. U.S.A., 5. 6.7.8 ,9 10,", "e . g . U . S . A . , 5 . 6.7.8 , 9 10 ,"},
            {"&quot;Ja&quot; &amp; &lt;b&gt; &amp;lt; &apos;", "\" Ja \" & < b > < & apos ;"},
            {"a <skipped>b", "a b"},
            {"line-\nend and\nmore", "lineend and more"},
            {"trailing hyphen-", "trailing hyphen-"},
            {"don't l'eau 'x'", "don't l'eau 'x'"},
            {"$5 ~ `x` ^2 a_b {c} [d] e|f #g @h 50% +1=2 \\ /",
             "$ 5 ~ ` x ` ^ 2 a _ b { c } [ d ] e | f # g @ h 50 % + 1 = 2 \\ /"},
            {"„Grüße“ – sagte er… «oui» l’été", "„Grüße“ – sagte er… «oui» l’été"},
            {"価格は1,000円です。", "価格は1,000円です。"},
            {"a\xc2\xa0"
             "b\xe2\x80\x83"
             "c\xe3\x80\x80"
             "d",
             "a b c d"},
            {"emoji 😀👍🏽 ok!", "emoji 😀👍🏽 ok !"},
            {"½ Ⅳ ²3, ٣,٤", "½ Ⅳ ²3 , ٣ , ٤"},
            {"x\xe2\x80\x8by e\xcc\x81, ñ", "x\xe2\x80\x8by e\xcc\x81 , ñ"},
            {"20:15 Uhr 1:0-Sieg", "20 : 15 Uhr 1 : 0 - Sieg"},
            {"€5,00 £3 5°C ©™", "€5,00 £3 5°C ©™"},
            {"tab\tand\x1c"
             "fs\xc2\x85nel",
             "tab and fs nel"},
            {"--- ,,, ...", "--- , , , . . ."},
            {"1.,2 1,.2 3-,4", "1 . , 2 1 , . 2 3 - , 4"},
            {"U.S.-led 9-11-2001 5-,", "U . S . -led 9 - 11 - 2001 5 - ,"},
        });
}

TEST_CASE("tokenization 13a takes time in proportion to the line") {
  std::string line;
  for (int i = 0; i < 300'000; ++i) line += "&quot;";  // half a minute if each moved the rest of the line
  CHECK(tokenize_13a(line) == std::vector<std::string>(300'000, "\""));
}

TEST_CASE("tokenization intl splits Unicode punctuation and symbols") {
  check(Tokenization::international,
        {
            {"", ""},
            {"   ", ""},
            {"Hello, world!", "Hello , world !"},
            {"It costs 1,234.56 euros, not 1.5.", "It costs 1,234.56 euros , not 1.5."},
            {"In 2017, 3-4 well-known cases (a-b).", "In 2017 , 3-4 well - known cases ( a - b ) ."},
            {"a..b ...", "a . . b . . ."},
            {"e.g. U.S.A., 5. 6.7.8 ,9 10,", "e . g . U . S . A . , 5 . 6.7.8 , 9 10,"},
            {"&quot;Ja&quot; &amp; &lt;b&gt; &amp;lt; &apos;",
             "& quot ; Ja & quot ; & amp ; & lt ; b & gt ; & amp ; lt ; & apos ;"},
            {"a <skipped>b", "a < skipped > b"},
            {"line-\nend and\nmore", "line - end and more"},
            {"trailing hyphen-", "trailing hyphen -"},
            {"don't l'eau 'x'", "don ' t l ' eau ' x '"},
            {"$5 ~ `x` ^2 a_b {c} [d] e|f #g @h 50% +1=2 \\ /",
             "$ 5 ~ ` x ` ^ 2 a _ b { c } [ d ] e | f # g @ h 50 % + 1 = 2 \\ /"},
            {"„Grüße“ – sagte er… «oui» l’été", "„ Grüße “ – sagte er … « oui » l ’ été"},
            {"価格は1,000円です。", "価格は1,000円です 。"},
            {"a\xc2\xa0"
             "b\xe2\x80\x83"
             "c\xe3\x80\x80"
             "d",
             "a b c d"},
            {"emoji 😀👍🏽 ok!", "emoji 😀 👍 🏽 ok !"},
            {"½ Ⅳ ²3, ٣,٤", "½ Ⅳ ²3 , ٣,٤"},
            {"x\xe2\x80\x8by e\xcc\x81, ñ", "x\xe2\x80\x8by e\xcc\x81 , ñ"},
            {"20:15 Uhr 1:0-Sieg", "20:15 Uhr 1:0 - Sieg"},
            {"€5,00 £3 5°C ©™", "€ 5,00 £ 3 5 ° C © ™"},
            {"tab\tand\x1c"
             "fs\xc2\x85nel",
             "tab and fs nel"},
            {"--- ,,, ...", "- - - , , , . . ."},
            {"1.,2 1,.2 3-,4", "1 . , 2 1 , . 2 3 - , 4"},
            {"U.S.-led 9-11-2001 5-,", "U . S . - led 9-11-2001 5 - ,"},
        });
}

TEST_CASE("tokenization char takes each code point for a word") {
  check(Tokenization::character, {
                                     {"", ""},
                                     {"   ", ""},
                                     {"Hello, world!", "H e l l o , w o r l d !"},
                                     {"價格 1,000円。", "價 格 1 , 0 0 0 円 。"},
                                     {"line-\nend", "l i n e - e n d"},
                                     {"a\xc2\xa0"
                                      "b\xe2\x80\x83"
                                      "c",
                                      "a b c"},
                                     {"emoji 😀👍🏽 ok!", "e m o j i 😀 👍 🏽 o k !"},
                                     {"x\xe2\x80\x8by e\xcc\x81, ñ", "x \xe2\x80\x8b y e \xcc\x81 , ñ"},
                                     {"tab\tand\x1c"
                                      "fs\xc2\x85nel",
                                      "t a b a n d f s n e l"},
                                 });
}

TEST_CASE("tokenization none splits at every kind of white space") {
  check(Tokenization::none, {
                                {"", ""},
                                {"   ", ""},
                                {"Hello, world!  a ", "Hello, world! a"},
                                {"&quot;x&quot; <skipped>", "&quot;x&quot; <skipped>"},
                                {"a\xc2\xa0"
                                 "b\xe2\x80\x83"
                                 "c\xe3\x80\x80"
                                 "d",
                                 "a b c d"},
                                {"x\xe2\x80\x8by", "x\xe2\x80\x8by"},
                                {"tab\tand\x1c"
                                 "fs\xc2\x85nel",
                                 "tab and fs nel"},
                            });
}

TEST_CASE("lower case follows Unicode, not one language") {
  CHECK(lowercase("ÄÖÜ ẞ") == "äöü ß");
  CHECK(lowercase("ΟΔΥΣΣΕΥΣ ΣΑΣ. Σ") == "οδυσσευς σας. σ");
  CHECK(lowercase("İstanbul I") == "i̇stanbul i");
  CHECK(lowercase("ǅ Ⅳ Ａ") == "ǆ ⅳ ａ");
  CHECK(lowercase("𐐀") == "𐐨");
  CHECK(lowercase("ÀÉ") == "àé");
  CHECK(lowercase("") == "");
}

TEST_CASE("a tokenization is found by its name") {
  for (const auto* name : {"13a", "none", "char", "intl", "paper", "moses-de", "moses-en", "moses-fr"}) {
    CHECK(name_of(tokenization_from_name(name)) == std::string_view(name));
  }
  REQUIRE_THROWS_WITH(
      tokenization_from_name("14"),
      ContainsSubstring("expected 13a, none, char, intl, paper, moses-de, moses-en, moses-fr, found '14'"));
  REQUIRE_THROWS_AS(tokenization_from_name(""), transformer::InputError);
}

TEST_CASE("a tokenization's rules are for one language or for any") {
  for (const auto any :
       {Tokenization::v13a, Tokenization::none, Tokenization::character, Tokenization::international})
    CHECK_FALSE(language_of(any));
  CHECK(language_of(Tokenization::paper)->code == "de");
  CHECK(language_of(Tokenization::moses_german)->name == "German");
  CHECK(language_of(Tokenization::moses_english)->code == "en");
  CHECK(language_of(Tokenization::moses_english)->name == "English");
  CHECK(language_of(Tokenization::moses_french)->code == "fr");
  CHECK(language_of(Tokenization::moses_french)->name == "French");
}
