#include "transformer/config/scalar.h"

#include "tests/catch.h"

using namespace transformer::config;

TEST_CASE("whole numbers, also in other spellings") {
  CHECK(parse_integer("8") == 8);
  CHECK(parse_integer("-8") == -8);
  CHECK(parse_integer("1e5") == 100000);
  CHECK(parse_integer("8.0") == 8);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807);
  for (const auto* text :
       {"", " 8", "8 ", "8.5", "abc", "8x", "0x8", "1e30", "nan", "inf", "1e-1", "٣", "010", "-08", "00"})
    CHECK_FALSE(parse_integer(text));
  CHECK(parse_integer("0") == 0);
  CHECK(parse_real("-0.5") == -0.5);
  CHECK_FALSE(parse_real("01.5"));
}

TEST_CASE("a range has no integer that a double cannot tell from its end") {
  const Range range{.min = 0, .max = 9007199254740992.0};
  CHECK(range.contains_integer(9007199254740992));
  CHECK_FALSE(range.contains_integer(9007199254740993));
  CHECK_FALSE(range.contains_integer(-1));
}

TEST_CASE("real numbers are finite") {
  CHECK(parse_real("0.1") == 0.1);
  CHECK(parse_real("1e-9") == 1e-9);
  CHECK(parse_real("-3") == -3);
  for (const auto* text : {"", ".", "0,1", "0.1f", "nan", "inf", ".inf", "1e999", "0.1 0.2"})
    CHECK_FALSE(parse_real(text));
}

TEST_CASE("true and false alone are truth values") {
  CHECK(parse_boolean("true") == true);
  CHECK(parse_boolean("false") == false);
  for (const auto* text : {"", "yes", "True", "1", "on"}) CHECK_FALSE(parse_boolean(text));
}

TEST_CASE("a printed number reads back as itself") {
  for (const double value : {0.1, 1.0 / 3, 1e-9, 0.98, 1e300, 0.0, 25000.0})
    CHECK(parse_real(print_real(value)) == value);
  CHECK(print_real(0.1) == "0.1");
  CHECK(print_real(1) == "1");
  CHECK(print_real(1e-5) == "1.0e-05");  // 1e-05 is a string in YAML 1.1
  CHECK(print_real(2.5e-9) == "2.5e-09");
  CHECK(print_real(1e20) == "1.0e+20");
}

TEST_CASE("zero has no sign") {
  for (const auto* text : {"-0.0", "-0", "-0e3"}) CHECK(print_real(parse_real(text).value()) == "0");
}

TEST_CASE("ranges say which numbers they hold") {
  const Range share{.min = 0, .max = 1, .below_max = true};
  CHECK(share.describe() == "from 0 and below 1");
  CHECK(share.contains(0));
  CHECK_FALSE(share.contains(1));
  const Range positive{.above_min = true};
  CHECK(positive.describe() == "above 0 to 1000000000000");
  CHECK_FALSE(positive.contains(0));
  CHECK(positive.contains(1e12));
  CHECK_FALSE(positive.contains(1.1e12));
  const Range layers{.min = 1, .max = 1000};
  CHECK(layers.describe() == "from 1 to 1000");
  CHECK(layers.contains(1000));
  CHECK_FALSE(layers.contains(1001));
}

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("heads", "heads") == 0);
  CHECK(edit_distance("headz", "heads") == 1);
  CHECK(edit_distance("haeds", "heads") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("what was found fits on one line") {
  CHECK(quote("a\nb") == "'a b'");
  CHECK(quote(std::string(500, 'x')).size() < 100);
  CHECK(quote("x" + std::string(79, 'y') + "ä") == "'x" + std::string(79, 'y') + "…'");
  CHECK(quote(std::string(79, 'y') + "ä") == "'" + std::string(79, 'y') + "…'");  // not half a character
}
