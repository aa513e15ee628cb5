#include "transformer/base/printable.h"

#include "tests/catch.h"

using namespace std::string_literals;
using transformer::printable;

TEST_CASE("plain text of any language stays as it is") {
  for (const auto* text : {"", "a path/with blanks: 'x'", "größe 数学 😀", "C:\\x"})
    CHECK(printable(text) == text);
}

TEST_CASE("what a terminal would obey, or a reader would stumble over, is spelled") {
  CHECK(printable("a\0b"s) == "a\\x00b");
  CHECK(printable("two\nlines\tand\r") == "two\\nlines\\tand\\r");
  CHECK(printable("\x1b[2Jgone\x7f") == "\\x1b[2Jgone\\x7f");
  CHECK(printable("\xC2\x9B"s
                  "31mred") == "\\xc2\\x9b31mred");
  CHECK(printable("\xC2\xA0"s
                  "x") == "\xC2\xA0x");
}

TEST_CASE("bytes that are not UTF-8 are spelled one by one") {
  CHECK(printable("f\xfcr \xe6\x95 x") == "f\\xfcr \\xe6\\x95 x");
  CHECK(printable("\xff\xfe") == "\\xff\\xfe");
  CHECK(printable("ä\xc3") == "ä\\xc3");
}

TEST_CASE("what is to be kept is kept") {
  CHECK(printable("a\n\tb", "\n") == "a\n\\tb");
}
