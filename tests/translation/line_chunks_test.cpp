#include "transformer/translation/line_chunks.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <future>

#include "tests/catch.h"
#include "tests/compress.h"
#include "transformer/base/error.h"

using transformer::translation::LineChunks;
using Lines = std::vector<std::string>;

namespace {

/// A pipe to write to as a sender does.
class Pipe {
 public:
  Pipe() { REQUIRE(pipe(ends_.data()) == 0); }
  ~Pipe() {
    end();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int output() const { return ends_[0]; }
  void send(const std::string& text) {
    REQUIRE(write(ends_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("lines come as soon as the sender pauses") {
  Pipe sender;
  LineChunks chunks(sender.output(), "input");
  sender.send("one\n");
  CHECK(chunks.next(10) == Lines{"one"});
  sender.send("two\nthree\nhalf a ");
  CHECK(chunks.next(10) == Lines{"two", "three"});  // does not wait for the rest of the line
  sender.send("line\n\nlast");
  CHECK(chunks.next(10) == Lines{"half a line", ""});
  sender.end();
  CHECK(chunks.next(10) == Lines{"last"});
  CHECK(chunks.next(10).empty());
  CHECK(chunks.next(10).empty());
}

TEST_CASE("chunks are as large as asked for while there is input") {
  Pipe sender;
  LineChunks chunks(sender.output(), "input");
  auto sending = std::async(std::launch::async, [&] {  // more than a pipe holds
    std::string line(100, 'x');
    line.back() = '\n';
    for (int i = 0; i < 3000; ++i) sender.send(line);
    sender.end();
  });
  CHECK(chunks.next(2000).size() == 2000);
  CHECK(chunks.next(2000).size() == 1000);
  CHECK(chunks.next(2000).empty());
  sending.get();
}

TEST_CASE("lines are checked, and the message has the line's number") {
  Pipe sender;
  LineChunks chunks(sender.output(), "input");
  sender.send("\xEF\xBB\xBFgood\r\n");
  CHECK(chunks.next(10) == Lines{"good"});
  sender.send(
      "b\xFF"
      "d\n");
  REQUIRE_THROWS_WITH(chunks.next(10), ContainsSubstring("input:2: expected UTF-8"));
}

TEST_CASE("compressed text is unpacked as it comes") {
  const auto pack = GENERATE(0, 1);
  const std::string text = "one\ntwo\n" + std::string(200'000, 'x') + "\nlast\n";
  const auto packed = pack == 0 ? transformer::test::gzip(text) : transformer::test::zstandard(text);
  Pipe sender;
  LineChunks chunks(sender.output(), "input");
  sender.send(packed.substr(0, 1));  // not enough to tell
  sender.send(packed.substr(1));
  sender.end();
  Lines lines;
  for (auto next = chunks.next(2); !next.empty(); next = chunks.next(2))
    lines.insert(lines.end(), next.begin(), next.end());
  CHECK(lines == Lines{"one", "two", std::string(200'000, 'x'), "last"});
}

TEST_CASE("a chunk of very long lines ends early") {
  Pipe sender;
  LineChunks chunks(sender.output(), "input");
  auto sending = std::async(std::launch::async, [&] {
    std::string line(1'000'001, 'x');
    line.back() = '\n';
    for (int i = 0; i < 40; ++i) sender.send(line);
    sender.end();
  });
  std::vector<std::size_t> sizes;
  for (auto lines = chunks.next(2000); !lines.empty(); lines = chunks.next(2000))
    sizes.push_back(lines.size());
  sending.get();
  CHECK(sizes == std::vector<std::size_t>{17, 17, 6});
}

TEST_CASE("a folder is no text") {
  const int folder = open("/", O_RDONLY);
  LineChunks chunks(folder, "standard input");
  REQUIRE_THROWS_WITH(chunks.next(10), ContainsSubstring("standard input"));
  CHECK_THROWS_AS(LineChunks(folder, "standard input").next(10), transformer::InputError);
  close(folder);
}

TEST_CASE("a descriptor that cannot be read is an error") {
  LineChunks chunks(-1, "input");
  REQUIRE_THROWS_AS(chunks.next(10), transformer::RunError);
}
