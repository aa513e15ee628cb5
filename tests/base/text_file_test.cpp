#include "transformer/base/text_file.h"

#include <sstream>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::TemporaryFolder;

TEST_CASE("well-formed UTF-8 is accepted up to its edges") {
  CHECK(is_valid_utf8(""));
  CHECK(is_valid_utf8("plain"));
  CHECK(is_valid_utf8("Größe \xE2\x82\xAC"));
  CHECK(is_valid_utf8("\xC2\x80\xDF\xBF"));                  // U+0080, U+07FF
  CHECK(is_valid_utf8("\xE0\xA0\x80\xED\x9F\xBF"));          // U+0800, U+D7FF
  CHECK(is_valid_utf8("\xEE\x80\x80\xEF\xBF\xBF"));          // U+E000, U+FFFF
  CHECK(is_valid_utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));  // U+10000, U+10FFFF
}

TEST_CASE("the first byte that is not UTF-8 is found") {
  CHECK(first_invalid_utf8("ab\xFF") == 2);
  CHECK(first_invalid_utf8("\x80") == 0);              // continuation without a lead
  CHECK(first_invalid_utf8("\xC0\xAF") == 0);          // overlong, two bytes
  CHECK(first_invalid_utf8("\xE0\x9F\xBF") == 0);      // overlong, three bytes
  CHECK(first_invalid_utf8("\xF0\x8F\xBF\xBF") == 0);  // overlong, four bytes
  CHECK(first_invalid_utf8("\xED\xA0\x80") == 0);      // a surrogate
  CHECK(first_invalid_utf8("\xF4\x90\x80\x80") == 0);  // above U+10FFFF
  CHECK(first_invalid_utf8("a\xE2\x82") == 1);         // cut short
  CHECK(first_invalid_utf8("a\xE2\x82z") == 1);
  CHECK(first_invalid_utf8("Gr\xF6\xDF"
                           "e") == 2);  // Latin-1
}

TEST_CASE("a byte that is not UTF-8 is found wherever it stands") {
  for (std::size_t length = 1; length < 40; ++length) {  // bytes are looked at one by one and in eights
    for (std::size_t place = 0; place < length; ++place) {
      std::string text(length, 'a');
      CHECK_FALSE(first_invalid_utf8(text));
      text[place] = '\xFF';
      CHECK(first_invalid_utf8(text) == place);
      CHECK_FALSE(first_invalid_utf8(text.replace(place, 1, "\xC3\xA4")));
    }
  }
}

TEST_CASE("lines are read with either line end") {
  const TemporaryFolder folder;
  using Lines = std::vector<std::string>;
  CHECK(read_lines(folder.write("a", "one\ntwo\n")) == Lines{"one", "two"});
  CHECK(read_lines(folder.write("b", "one\n\ntwo")) == Lines{"one", "", "two"});
  CHECK(read_lines(folder.write("c", "")).empty());
  CHECK(read_lines(folder.write("d", "\n")) == Lines{""});
  CHECK(read_lines(folder.write("e", "\xEF\xBB\xBFone\n")) == Lines{"one"});
  CHECK(read_lines(folder.path() / "e", nullptr, ByteOrderMark::keep) == Lines{"\xEF\xBB\xBFone"});

  std::size_t windows = 99;
  CHECK(read_lines(folder.write("f", "one\r\ntwo\nthree\r\n"), &windows) == Lines{"one", "two", "three"});
  CHECK(windows == 2);
  CHECK(read_lines(folder.write("g", "a\rb\n"), &windows) == Lines{"a\rb"});
  CHECK(windows == 0);
}

TEST_CASE("what is no text is refused with its place") {
  const TemporaryFolder folder;
  REQUIRE_THROWS_AS(read_lines(folder.path() / "absent"), InputError);
  REQUIRE_THROWS_WITH(read_lines(folder.path() / "absent"), ContainsSubstring("absent: cannot be read"));
  REQUIRE_THROWS_WITH(read_lines(folder.path()), ContainsSubstring("found a folder"));
  REQUIRE_THROWS_WITH(read_lines(folder.write("latin",
                                              "ok\nGr\xF6\xDF"
                                              "e\n")),
                      ContainsSubstring("latin:2: expected UTF-8, found byte 0xF6 at byte 3"));
  REQUIRE_THROWS_WITH(read_lines(folder.write("nul", std::string("ok\nok\na\0b\n", 10))),
                      ContainsSubstring("nul:3: expected text, found a NUL byte at byte 2"));
}

TEST_CASE("a stream is read line by line") {
  std::istringstream input("first\r\nsecond");
  LineReader reader(input, "standard input");
  std::string line;
  REQUIRE(reader.next(line));
  CHECK(line == "first");
  CHECK(reader.line_number() == 1);
  REQUIRE(reader.next(line));
  CHECK(line == "second");
  CHECK_FALSE(reader.next(line));
  CHECK(reader.line_number() == 2);
  CHECK(reader.windows_line_ends() == 1);
}
