#include "data/demo_corpus/words.h"

#include "tests/catch.h"

using namespace transformer::demo;

TEST_CASE("numbers are spelled out in both languages") {
  CHECK(english_number(7) == "seven");
  CHECK(english_number(40) == "forty");
  CHECK(english_number(99) == "ninety-nine");
  CHECK(german_number(16) == "sechzehn");
  CHECK(german_number(21) == "einundzwanzig");
  CHECK(german_number(30) == "dreißig");
  CHECK(german_number(77) == "siebenundsiebzig");
}

TEST_CASE("ordinals are spelled out in both languages") {
  CHECK(english_ordinal(12) == "twelfth");
  CHECK(english_ordinal(20) == "twentieth");
  CHECK(english_ordinal(23) == "twenty-third");
  CHECK(german_ordinal(1) == "erst");
  CHECK(german_ordinal(7) == "siebt");
  CHECK(german_ordinal(19) == "neunzehnt");
  CHECK(german_ordinal(31) == "einunddreißigst");
}

TEST_CASE("regular English words are inflected as they are spelled") {
  CHECK(english_plural("box") == "boxes");
  CHECK(english_plural("baby") == "babies");
  CHECK(english_plural("key") == "keys");
  CHECK(english_third_person("wash") == "washes");
  CHECK(english_third_person("carry") == "carries");
  CHECK(english_third_person("have") == "has");
  CHECK(english_past("bake") == "baked");
  CHECK(english_past("hurry") == "hurried");
  CHECK(english_article("uniform") == "a");
  CHECK(english_article("honest") == "an");
  CHECK(english_article("eight-day") == "an");
}

TEST_CASE("letters beyond ASCII change their case") {
  CHECK(lower_first("Ärztin") == "ärztin");
  CHECK(upper_first("öffnen") == "Öffnen");
  CHECK(lower("DIE ÜBUNG") == "die übung");
}

TEST_CASE("a sentence starts with a capital and joins its marks") {
  CHECK(join_sentence({"über", "Anna", ",", "die", "lacht", ",", "."}) == "Über Anna, die lacht.");
}
