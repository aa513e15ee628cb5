#include "transformer/base/text_file.h"

#include <sys/stat.h>

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

TEST_CASE("text in another encoding, or with other line ends, is called what it is") {
  const TemporaryFolder folder;
  using namespace std::string_literals;
  const auto refusal = [&](const std::string& bytes) {
    try {
      read_lines(folder.write("text", bytes));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return "accepted"s;
  };
  CHECK_THAT(refusal("\xFF\xFEH\0i\0\n\0"s),
             ContainsSubstring("text:1: expected text in UTF-8, found text in UTF-16"));
  CHECK_THAT(refusal("\xFE\xFF\0H\0i\0\n"s), ContainsSubstring("found text in UTF-16"));
  CHECK_THAT(refusal("D\0e\0r\0 \0\xE4\0\r\0\n\0H\0"s),
             ContainsSubstring("found text in UTF-16LE (iconv -f UTF-16LE"));
  CHECK_THAT(refusal("\0D\0e\0r\0 \0H\0u\0n\0d\0\n"s),
             ContainsSubstring("found text in UTF-16BE (iconv -f UTF-16BE"));
  CHECK_THAT(refusal("\xFF\xFE\0\0H\0\0\0"s), ContainsSubstring("found text in UTF-32"));
  CHECK_THAT(refusal("a\0b\n"s), ContainsSubstring("found a NUL byte at byte 2"));
  CHECK_THAT(refusal("one\rtwo\rthree\r"),
             ContainsSubstring("text:1: expected lines that end in LF or CR LF, "
                               "found lines ended by CR alone"));
  CHECK_THAT(refusal("one\rtwo"), ContainsSubstring("CR alone"));
  CHECK(refusal("one\rtwo\n") == "accepted");  // a CR inside a line
  CHECK(refusal("one\ntwo\rthree") == "accepted");
}

TEST_CASE("only CR LF counts as Windows's line end") {
  const TemporaryFolder folder;
  std::size_t windows = 99;
  CHECK(read_lines(folder.write("a", "one\r"), &windows) == std::vector<std::string>{"one"});
  CHECK(windows == 0);
  CHECK(read_lines(folder.write("b", "one\r\ntwo\r"), &windows) == std::vector<std::string>{"one", "two"});
  CHECK(windows == 1);
}

TEST_CASE("lines of any length are read whole") {
  const TemporaryFolder folder;
  for (std::size_t size = 4090; size < 4100; ++size) {  // around the pieces in which they are read
    const std::string line(size, 'x');
    CHECK(read_lines(folder.write("a", line + "\n" + line)) == std::vector<std::string>{line, line});
    CHECK(read_lines(folder.write("b", line + "\r\n\n" + line + line + "\n")) ==
          std::vector<std::string>{line, "", line + line});
  }
}

TEST_CASE("what is no regular file is refused where one is needed") {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(check_regular_file(pipe), ContainsSubstring("pipe: expected a file, found a pipe"));
  CHECK_THROWS_WITH(check_regular_file("/dev/null"), ContainsSubstring("found a device"));
  CHECK_THROWS_WITH(check_regular_file(folder.path()), ContainsSubstring("found a folder"));
  CHECK_NOTHROW(check_regular_file(folder.write("file", "")));
  CHECK_NOTHROW(check_regular_file(folder.path() / "absent"));
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

TEST_CASE("what is read as a whole is a file, and not longer than is sensible") {
  const TemporaryFolder folder;
  const auto file = folder.write("file", std::string(1000, 'a'));
  CHECK(read_file(file, 1000).size() == 1000);
  CHECK_THROWS_AS(read_file(file, 999), InputError);
  CHECK_THROWS_WITH(read_file(file, 999), ContainsSubstring("file: expected at most 999 bytes, found more"));
  CHECK_THROWS_WITH(read_file("/dev/zero"), ContainsSubstring("/dev/zero: expected a file, found a device"));
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_file(pipe), ContainsSubstring("pipe: expected a file, found a pipe"));
  CHECK_THROWS_WITH(read_file(folder.path()), ContainsSubstring("expected a file, found a folder"));
  CHECK_THROWS_WITH(read_file(folder.path() / "nothing"), ContainsSubstring("nothing: cannot be read"));
}
