#include "transformer/base/text_stream.h"

#include <unistd.h>

#include <iterator>
#include <random>

#include "tests/catch.h"
#include "tests/compress.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

using namespace transformer;
using test::TemporaryFolder;
using Packing = std::string (*)(const std::string&);

namespace {

std::string gzip(const std::string& text) {
  return test::gzip(text);
}

std::string content(const std::filesystem::path& file) {
  TextStream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// That does not get much shorter.
std::string long_text(std::size_t size) {
  std::mt19937 random(5);
  std::string text(size, ' ');
  for (auto& letter : text) letter = static_cast<char>('a' + random() % 26);
  return text;
}

}  // namespace

TEST_CASE("a stream gives a file's text, be it compressed") {
  const TemporaryFolder folder;
  const Packing pack = GENERATE(Packing([](const std::string& text) { return text; }), Packing(gzip),
                                Packing(test::zstandard));
  for (const auto& text : {std::string("one\ntwo\n"), std::string(), std::string("("),
                           std::string("(\xC2\xB5"), long_text(1'000'000), std::string(3'000'000, 'x')}) {
    CHECK(content(folder.write("text", pack(text))) == text);
    if (pack(text) == text) continue;
    CHECK(content(folder.write("parts", pack("first ") + pack(text) + pack("last"))) ==
          "first " + text + "last");
  }
}

TEST_CASE("zeros behind packed text, as tapes have them, are passed over") {
  const TemporaryFolder folder;
  for (const std::size_t zeros : {1, 3, 511, 200'000}) {
    const auto padded = gzip("one\ntwo\n") + std::string(zeros, '\0');
    CHECK(content(folder.write("padded", padded)) == "one\ntwo\n");
    CHECK(content(folder.write("between", padded + gzip("three\n"))) == "one\ntwo\nthree\n");
    CHECK_THROWS_AS(read_lines(folder.write("other", padded + "x")), InputError);
  }
}

TEST_CASE("packed text of other formats is named") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& words) {
    CHECK_THROWS_AS(read_lines(folder.write("packed", bytes + "rest")), InputError);
    CHECK_THROWS_WITH(read_lines(folder.write("packed", bytes + "rest")),
                      ContainsSubstring("packed: expected text") && ContainsSubstring("found " + words));
  };
  refused("BZh91AY&SY", "bzip2 data (bzip2 -dc unpacks them)");
  refused(std::string("\xFD\x37zXZ\0", 6), "xz data (xz -dc unpacks them)");
  refused("\x04\x22\x4D\x18", "LZ4 data");
  refused("\x1F\x9D", "compress data (gzip -dc unpacks them)");
  refused("PK\x03\x04", "zip data");
  for (const std::string text : {"BZh", "BZh9 is no text that we know\n", "P", "PK\n"})
    CHECK(content(folder.write("text", text)) == text);
}

TEST_CASE("a stream of a descriptor gives what comes, be it compressed, a byte at a time") {
  const Packing pack = GENERATE(Packing([](const std::string& text) { return text; }), Packing(gzip),
                                Packing(test::zstandard));
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  for (const char byte : pack("one\ntwo\n")) REQUIRE(::write(ends[1], &byte, 1) == 1);
  ::close(ends[1]);
  {
    TextStream stream(ends[0], "standard input");
    LineReader reader(stream, "standard input");
    std::string line;
    REQUIRE(reader.next(line));
    CHECK(line == "one");
    REQUIRE(reader.next(line));
    CHECK(line == "two");
    CHECK_FALSE(reader.next(line));
  }
  ::close(ends[0]);
  TextStream closed(ends[0], "standard input");
  CHECK_THROWS_WITH(closed.get(), ContainsSubstring("standard input: reading failed"));
}

TEST_CASE("compressed text that is cut off or damaged is refused by name") {
  const TemporaryFolder folder;
  const auto [pack, name] =
      GENERATE(std::pair(Packing(gzip), "gzip"), std::pair(Packing(test::zstandard), "Zstandard"));
  const auto packed = pack(long_text(200'000));
  for (const auto size : {packed.size() - 1, packed.size() / 2, std::size_t{5}}) {
    const auto file = folder.write("cut", packed.substr(0, size));
    CHECK_THROWS_AS(read_lines(file), InputError);
    CHECK_THROWS_WITH(read_lines(file), ContainsSubstring("cut: expected whole " + std::string(name) +
                                                          " data, found them cut off"));
  }
  CHECK_THROWS_WITH(read_lines(folder.write("more", packed + "more")), ContainsSubstring("found damage: "));
  auto damaged = packed;
  damaged[packed.size() - 6] = static_cast<char>(damaged[packed.size() - 6] + 1);  // in gzip's checksum
  damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] + 1);
  CHECK_THROWS_AS(read_lines(folder.write("damaged", damaged)), InputError);
}

TEST_CASE("a small file that unpacks to an endless line is refused") {
  const TemporaryFolder folder;
  std::string packed;
  const auto part = test::zstandard(std::string(std::size_t{16} << 20U, 'x'));
  for (int i = 0; i < 20; ++i) packed += part;
  CHECK_THROWS_WITH(read_lines(folder.write("bomb", packed)),
                    ContainsSubstring("bomb:1: expected lines of at most 268435456 bytes"));
}
