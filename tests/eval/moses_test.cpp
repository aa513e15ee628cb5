#include "transformer/eval/moses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/catch.h"
#include "transformer/eval/german_abbreviations.h"
#include "transformer/eval/tokenize.h"

// The words expected were printed by Moses' tokenizer.perl -l de -no-escape (version 1.1), and all but those
// with Chinese characters by sacremoses 0.2, too; what is split at hyphens, by perl -ple with the published
// rule.

using namespace transformer::eval;

namespace {

struct Case {
  const char* line;
  const char* words;
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

void check(const std::vector<Case>& cases) {
  for (const auto& [line, words] : cases) {
    INFO("line: " << line);
    CHECK(joined(tokenize_moses_german(line)) == words);
  }
}

}  // namespace

TEST_CASE("Moses' words of German: marks, commas and quotes") {
  check({
      {"", ""},
      {"   ", ""},
      {"Hallo, Welt!", "Hallo , Welt !"},
      {"Das kostet 1.234,56 Euro, nicht 1,5.", "Das kostet 1.234,56 Euro , nicht 1,5 ."},
      {"A,b,1,c,2,3,d 4,e f,5", "A , b , 1 , c , 2,3 , d 4 , e f , 5"},
      {"1,,2 ,,, ,3", "1 , , 2 , , , , 3"},
      {"Er sagte: \"Ja\", „nein“ – «oui»… ‚so‘", "Er sagte : \" Ja \" , „ nein “ – « oui » … ‚ so ‘"},
      {"geht's Peter's 'nein' ''", "geht ' s Peter ' s ' nein ' ' '"},
      {"`so` ``gut''", "`so` ``gut ' '"},
      {"R+V [a] {b} a/b 5:3 @c #d ~ ^ = \\ $", "R + V [ a ] { b } a / b 5 : 3 @ c # d ~ ^ = \\ $"},
      {"http://www.a-b.de/c_d?e=f&g=h#i info@test.de",
       "http : / / www.a-b.de / c _ d ? e = f & g = h # i info @ test.de"},
  });
}

TEST_CASE("Moses' words of German: full stops") {
  check({
      {"Am 3. Mai 1990. Um 20:15 Uhr, im 19. Jahrhundert, am 31.",
       "Am 3. Mai 1990 . Um 20 : 15 Uhr , im 19. Jahrhundert , am 31."},
      {"Artikel 100. Absatz 05. Ende", "Artikel 100 . Absatz 05 . Ende"},
      {"Das ist gut. so geht es. Über alles. über", "Das ist gut. so geht es . Über alles. über"},
      {"Satz. »Noch« einer. (klein) z.B.", "Satz . » Noch « einer . ( klein ) z.B."},
      {"Warte... nein.. doch . . .... Ende..", "Warte ... nein .. doch . . .... Ende .."},
      {"... und", "... und"},
      {"3.000.000 v.Chr. U.S.A. a.b.5. 5.6.", "3.000.000 v.Chr. U.S.A. a.b.5. 5.6 ."},
      {".5 ,5 5. 5", ".5 , 5 5. 5"},
      {". .. , . a", ". .. , . a"},
      {"Ende. ñandú Ende. ⅳ Ende. ªb Ende. ǅ", "Ende. ñandú Ende. ⅳ Ende. ªb Ende . ǅ"},
  });
}

TEST_CASE("Moses' words of German: abbreviations") {
  check({
      {"Dr. Merkel und Prof. Weiß, z.B. Herr A. Schmidt u.ä. Leute, vgl. Nr. 5 usw. Ende.",
       "Dr. Merkel und Prof. Weiß , z.B. Herr A. Schmidt u.ä. Leute , vgl. Nr. 5 usw. Ende ."},
      {"Abb. Str. Jan. Inc. bzw. Mio. MIO. dr.", "Abb . Str . Jan . Inc. bzw. Mio. MIO. dr ."},
      {"Ludwig XIV. und Karl IV. XXI. Kapitel iv. Iv. Teil",
       "Ludwig XIV. und Karl IV. XXI . Kapitel iv. Iv . Teil"},
  });
}

TEST_CASE("Moses' words of German: Unicode, white space and control characters") {
  check({
      {"tab\x09und\x0bmehr  \xc2\xa0\xe2\x80\x83hier\xe3\x80\x80", "tab und mehr hier"},
      {"a\x01"
       "b \x1c\x1f"
       "c\x7f"
       "d\xc2\x85"
       "e",
       "ab c \x7f d e"},
      {"x\xe2\x80\x8by e\xcc\x81, ñ \xc2\xad \xef\xbb\xbf",
       "x \xe2\x80\x8b y e \xcc\x81 , ñ \xc2\xad \xef\xbb\xbf"},
      {"½ ²3 Ⅳ ⅳ. ٣,٤ 5°C €5,00 50% §3", "½ ² 3 Ⅳ ⅳ . ٣,٤ 5 ° C € 5,00 50 % § 3"},
      {"中文。1,000円 😀👍🏽", "中文 。 1,000円 😀 👍 🏽"},
  });
}

TEST_CASE("Moses' words of German: hyphens and entities stay as they are") {
  check({
      {"Text-Format E-Mail-Adresse - -- 3-4 -x x-", "Text-Format E-Mail-Adresse - -- 3-4 -x x-"},
      {"&quot;Ja&quot; &amp; <b> [1] | a&b", "& quot ; Ja & quot ; & amp ; < b > [ 1 ] | a & b"},
  });
}

// Later versions of the Perl program and sacremoses split it off, version 1.1 did not.
TEST_CASE("Moses' words of German: a comma behind a number ends a line") {
  check({{"um 5,", "um 5 ,"}, {"1,5,", "1,5 ,"}});
}

TEST_CASE("abbreviations are known by their case and no further") {
  for (const auto* word :
       {"A", "z", "1", "99", "I", "XX", "xix", "Dr", "usw", "bzw", "Nr", "Mio", "Messrs"}) {
    INFO(word);
    CHECK(is_german_abbreviation(word));
  }
  for (const auto* word :
       {"", "0", "01", "100", "XXI", "Xi", "\xc3\x84", "dr", "USW", "Abb", "Jan", "z.B", "."}) {
    INFO(word);
    CHECK_FALSE(is_german_abbreviation(word));
  }
}

TEST_CASE("compounds are split at each hyphen between two characters, a character beside one hyphen only") {
  const std::vector<Case> cases{
      {"Text-Format", "Text ##AT##-##AT## Format"},
      {"E-Mail-Adresse", "E ##AT##-##AT## Mail ##AT##-##AT## Adresse"},
      {"a-b-c", "a ##AT##-##AT## b-c"},
      {"a-b-c-d", "a ##AT##-##AT## b-c ##AT##-##AT## d"},
      {"a-\xc3\xa0-c", "a ##AT##-##AT## \xc3\xa0 ##AT##-##AT## c"},  // a letter of two bytes
      {"- -- --- a--b -x x- 3-4", "- -- - ##AT##-##AT## - a ##AT##-##AT## -b -x x- 3 ##AT##-##AT## 4"},
      {"", ""},
  };
  for (const auto& [line, words] : cases) {
    INFO("line: " << line);
    CHECK(joined(split_compounds(tokenize_none(line))) == words);
  }
}

TEST_CASE("tokenization paper is Moses' words with compounds split") {
  CHECK(joined(tokenize("Der US-Au\xc3\x9f"
                        "enminister, d.h. John F. Kerry, kam am 3. Mai.",
                        Tokenization::paper)) ==
        "Der US ##AT##-##AT## Au\xc3\x9f"
        "enminister , d.h. John F. Kerry , kam am 3. Mai .");
}

TEST_CASE("tokenization paper takes time in proportion to the line") {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += ",.'a-";  // words and rules of every kind, without a space
  CHECK(tokenize(line, Tokenization::paper).size() > 300'000);
}
