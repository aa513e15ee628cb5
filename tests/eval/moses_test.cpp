#include "transformer/eval/moses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/catch.h"
#include "transformer/eval/abbreviations.h"
#include "transformer/eval/tokenize.h"

// Sources of the expected words:
// * Moses' tokenizer.perl -l de, en or fr -no-escape (version 1.1, with its rules of 2017).
// * The same words from sacremoses 0.2, except for lines with Chinese characters.
// * For splits at hyphens: perl -ple with the published rule.

using namespace transformer::eval;
using enum MosesLanguage;

namespace {

struct Case {
  const char* line;
  const char* words;
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

void check(MosesLanguage language, const std::vector<Case>& cases) {
  for (const auto& [line, words] : cases) {
    INFO("line: " << line);
    CHECK(joined(tokenize_moses(line, language)) == words);
  }
}

void check_german(const std::vector<Case>& cases) {
  check(german, cases);
}
void check_english(const std::vector<Case>& cases) {
  check(english, cases);
}
void check_french(const std::vector<Case>& cases) {
  check(french, cases);
}

}  // namespace

TEST_CASE("Moses' words of German: marks, commas and quotes") {
  check_german({
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
  check_german({
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
  check_german({
      {"Dr. Merkel und Prof. Weiß, z.B. Herr A. Schmidt u.ä. Leute, vgl. Nr. 5 usw. Ende.",
       "Dr. Merkel und Prof. Weiß , z.B. Herr A. Schmidt u.ä. Leute , vgl. Nr. 5 usw. Ende ."},
      {"Abb. Str. Jan. Inc. bzw. Mio. MIO. dr.", "Abb . Str . Jan . Inc. bzw. Mio. MIO. dr ."},
      {"Ludwig XIV. und Karl IV. XXI. Kapitel iv. Iv. Teil",
       "Ludwig XIV. und Karl IV. XXI . Kapitel iv. Iv . Teil"},
  });
}

TEST_CASE("Moses' words of German: Unicode, white space and control characters") {
  check_german({
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
  check_german({
      {"Text-Format E-Mail-Adresse - -- 3-4 -x x-", "Text-Format E-Mail-Adresse - -- 3-4 -x x-"},
      {"&quot;Ja&quot; &amp; <b> [1] | a&b", "& quot ; Ja & quot ; & amp ; < b > [ 1 ] | a & b"},
  });
}

// Earlier rules left it there.
TEST_CASE("Moses' words of German: a comma behind a number ends a line") {
  check_german({{"um 5,", "um 5 ,"}, {"1,5,", "1,5 ,"}});
}

TEST_CASE("Moses' words of English: apostrophes") {
  check_english({
      {"I don't think it's the dogs' bowl, isn't it?", "I don 't think it 's the dogs ' bowl , isn 't it ?"},
      {"In the 1990's and the '80s he'd seen 5'a and 6' tall men.",
       "In the 1990 's and the ' 80s he 'd seen 5'a and 6 ' tall men ."},
      {"'Tis the season, 'cause y'all'd've come", "'Tis the season , ' cause y 'all 'd've come"},
      {"rock'n'roll O'Neill's 'n' l'Oréal", "rock 'n'roll O 'Neill 's ' n ' l 'Oréal"},
      {"He said: 'Yes.' She said: \"No.\"", "He said : ' Yes . ' She said : \" No . \""},
      {"'So am I.'", "'So am I . '"},
      {"''quoted'' it's' 's ' '' 'a' '1' a'", "' ' quoted ' ' it 's ' ' s ' ' ' ' a ' ' 1' a'"},
      {"the boys' team's 2's 2'S ²'s Ⅳ's é's", "the boys ' team 's 2 's 2'S ² ' s Ⅳ 's é 's"},
  });
}

TEST_CASE("Moses' words of English: full stops and abbreviations") {
  check_english({
      {"Mr. Smith met Mrs. Jones, Dr. Who and Prof. Higgins of Acme Inc. York Corp. Boston",
       "Mr. Smith met Mrs. Jones , Dr. Who and Prof. Higgins of Acme Inc . York Corp. Boston"},
      {"No. 5 and No. Five, pp. 7 pp. VII Art. 3 Art. No. 5a",
       "No. 5 and No . Five , pp. 7 pp . VII Art. 3 Art . No. 5a"},
      {"Nos. Nr. Rs. Drs. Hr. rev. Rev. vs. v. Ph. D", "Nos. Nr. Rs. Drs. Hr. rev. Rev. vs. v. Ph. D"},
      {"On Jan. 5, Sept. 6, Dec. 7 and May. 8 U.S.A. e.g. London i.e. Paris",
       "On Jan. 5 , Sept . 6 , Dec. 7 and May . 8 U.S.A. e.g. London i.e. Paris"},
      {"I. a. b. B. 5. 31. XX. End", "I. a. b . B. 5 . 31 . XX . End"},
      {"It ended at 9 p.m. Then he left at 8 p.m.", "It ended at 9 p.m. Then he left at 8 p.m."},
      {"A. Smith. b. Smith. v. Smith. usw. bzw. Ende", "A. Smith. b . Smith. v. Smith. usw. bzw . Ende"},
      {"mr. smith met mrs. jones. dr. who left. no. 5 stays.",
       "mr. smith met mrs. jones. dr. who left. no . 5 stays ."},
      {"One... two.. three. . .... four..'", "One ... two .. three . . .... four .. '"},
      {"e.g.' etc.'", "e.g. ' etc . '"},
      {"don’t ‘quote’ it’s", "don ’ t ‘ quote ’ it ’ s"},
  });
}

TEST_CASE("Moses' words of English: other marks") {
  check_english({
      {"1,000.50 $5, 6,7, a,b", "1,000.50 $ 5 , 6,7 , a , b"},
      {"No. ٣ No. ²", "No . ٣ No . ²"},
      {"A man in a \"Save-the-planet\" T-shirt &amp; hat.",
       "A man in a \" Save-the-planet \" T-shirt & amp ; hat ."},
  });
}

TEST_CASE("Moses' words of French: apostrophes") {
  check_french({
      {"L'homme d'aujourd'hui n'est pas l'ami qu'il était.",
       "L' homme d' aujourd' hui n' est pas l' ami qu' il était ."},
      {"C'est l'été 1990's '80 5'a 6' de d' Artagnan'",
       "C' est l' été 1990 ' s ' 80 5 ' a 6 ' de d ' Artagnan'"},
      {"Il dit : 'oui.' Elle dit « non ».", "Il dit : ' oui . ' Elle dit « non » ."},
      {"'c'est fini.'", "'c' est fini . '"},
      {"''quoi'' l'' ' 'a' '1' a'", "' ' quoi ' ' l ' ' ' ' a ' ' 1' a'"},
      {"Jusqu'à l'œuvre de l'État, s'il y a entr'acte",
       "Jusqu' à l' œuvre de l' État , s' il y a entr' acte"},
  });
}

TEST_CASE("Moses' words of French: full stops and abbreviations") {
  check_french({
      {"M. Dupont et Mme. Dupont, Mlle. X et MM. Martin, SS. Pie, Mr. Dr. Prof. Curie",
       "M. Dupont et Mme . Dupont , Mlle . X et MM. Martin , SS. Pie , Mr . Dr . Prof . Curie"},
      {"Voir art. 5, fig. 3, vol. 2, p. 7, pp. 8, cf. Dupont, al. 3, chap. IV, éd. Seuil, tél. 01",
       "Voir art. 5 , fig. 3 , vol. 2 , p. 7 , pp. 8 , cf. Dupont , al. 3 , chap. IV , éd. Seuil , "
       "tél. 01"},
      {"etc. Il y en a. Il a. Voilà env. 20 boul. Voltaire, av. J.-C. apr. J.-C.",
       "etc. Il y en a . Il a . Voilà env. 20 boul. Voltaire , av. J.-C. apr. J.-C."},
      {"c.-à-d. Paris, p.ex. Lyon, N.B. Rome, n/réf. Douze, ch.-l. Metz",
       "c.-à-d. Paris , p.ex. Lyon , N.B. Rome , n / réf . Douze , ch.-l. Metz"},
      {"No. 5 Nos. 6 Art. 7 Jan. 8 janv. 9", "No . 5 Nos . 6 Art . 7 Jan . 8 janv . 9"},
      {"b. c. z. A. Z. a. É. é. Fin", "b. c. z. A. Z. a . É. é . Fin"},
      {"fém. masc. sing. vb. ms. contr. dir. hab. inf. lib. ex. sq. sqq. suiv. sup. suppl. Fin",
       "fém. masc. sing. vb. ms. contr. dir. hab. inf. lib. ex. sq. sqq. suiv. sup. suppl. Fin"},
      {"Et... puis.. fin. . .... quatre..'", "Et ... puis .. fin . . .... quatre .. '"},
  });
}

TEST_CASE("Moses' words of French: other marks") {
  check_french({
      {"Le 3. Mai 1,5 et 2,50, 3,", "Le 3 . Mai 1,5 et 2,50 , 3 ,"},
      {"l’homme d’aujourd’hui – 10 % à 20°C", "l ’ homme d ’ aujourd ’ hui – 10 % à 20 ° C"},
      {"un homme porte un t-shirt. une femme d' art.", "un homme porte un t-shirt. une femme d ' art."},
      {"c'est l'art.", "c' est l' art."},
  });
}

TEST_CASE("Moses' words of German: small letters throughout") {
  check_german({
      {"Ein Mann fährt Rad, z.B. durchs US-Dorf.", "Ein Mann fährt Rad , z.B. durchs US-Dorf ."},
      {"geht's Peter's 'nein.'", "geht ' s Peter ' s ' nein . '"},
      {"ein mann, ca. 30 jahre alt, trägt das trikot nr. 5. er hat's eilig.",
       "ein mann , ca. 30 jahre alt , trägt das trikot nr . 5. er hat ' s eilig ."},
  });
}

TEST_CASE("abbreviations are known by their case and no further") {
  const auto are = [](MosesLanguage language, const std::vector<const char*>& words, bool expected) {
    for (const auto* word : words) {
      INFO(word);
      CHECK(is_abbreviation(word, language) == expected);
    }
  };
  are(german, {"A", "z", "1", "99", "I", "XX", "xix", "Dr", "usw", "bzw", "Nr", "Mio", "Messrs", "No"}, true);
  are(german, {"", "0", "01", "100", "XXI", "Xi", "\xc3\x84", "dr", "USW", "Abb", "Jan", "z.B", "."}, false);
  are(english, {"A", "Z", "v", "Mr", "MRS", "Dr", "Drs", "Jan", "Dec", "vs", "Rev", "rev", "Nos", "Corp"},
      true);
  are(english, {"", "a", "z", "1", "II", "mr", "May", "Sept", "Inc", "usw", "No", "Art", "pp", "e.g"}, false);
  are(french,
      {"A", "b", "z", "art", "etc", "cf",
       "\xc3\xa9"
       "d",
       "f\xc3\xa9m", "t\xc3\xa9l", "MM", "suppl"},
      true);
  are(french, {"", "a", "1", "II", "Mme", "Dr", "Art", "No", "\xc3\xa9", "p.ex", "janv"}, false);
}

TEST_CASE("some English abbreviations are such before a number alone") {
  for (const auto* word : {"No", "Art", "pp"}) {
    INFO(word);
    CHECK(is_abbreviation_before_number(word, english));
    CHECK_FALSE(is_abbreviation_before_number(word, german));
    CHECK_FALSE(is_abbreviation_before_number(word, french));
  }
  for (const auto* word : {"", "no", "Nos", "Nr", "Mr"})
    CHECK_FALSE(is_abbreviation_before_number(word, english));
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

TEST_CASE("Moses' words are tokenizations by their language") {
  const std::string line =
      "Peter's US-Au\xc3\x9f"
      "enminister etc. No. 5";
  CHECK(joined(tokenize(line, Tokenization::moses_german)) ==
        "Peter ' s US-Au\xc3\x9f"
        "enminister etc. No. 5");
  CHECK(joined(tokenize(line, Tokenization::moses_english)) ==
        "Peter 's US-Au\xc3\x9f"
        "enminister etc . No. 5");
  CHECK(joined(tokenize(line, Tokenization::moses_french)) ==
        "Peter' s US-Au\xc3\x9f"
        "enminister etc. No . 5");
}

TEST_CASE("Moses' tokenizations take time in proportion to the line") {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += ",.'a-";  // words and rules of every kind, without a space
  CHECK(tokenize(line, Tokenization::paper).size() > 300'000);
  for (const auto one : {Tokenization::moses_german, Tokenization::moses_english, Tokenization::moses_french})
    CHECK(tokenize(line, one).size() > 200'000);
}
