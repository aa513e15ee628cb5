// Standard input of transformer-translate. The first two bytes say in what pieces the text arrives and how
// many lines are asked for at once; LineReader says what the lines are.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"
#include "transformer/base/decompressor.h"
#include "transformer/base/text_file.h"
#include "transformer/translation/line_chunks.h"

namespace transformer::fuzz {
namespace {

struct Result {
  std::vector<std::string> lines;
  std::string error;
  std::size_t windows_line_ends = 0;
};

/// Lines until the end or the first refused one. `take` adds the next ones; false at the end.
template <typename Take>
Result collect(const LineReader& reader, Take&& take) {
  Result result;
  try {
    while (take(result.lines)) continue;
  } catch (const InputError& error) {
    result.error = error.what();
  }
  result.windows_line_ends = reader.windows_line_ends();
  return result;
}

Result read_stream(std::string_view text) {
  std::istringstream stream{std::string(text)};
  LineReader reader(stream, "input");
  return collect(reader, [&](std::vector<std::string>& lines) {
    std::string line;
    if (!reader.next(line)) return false;
    lines.push_back(line);
    return true;
  });
}

/// A socket that gives one piece for each call of read.
class Pieces {
 public:
  Pieces(std::string_view text, std::size_t piece) {
    require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_.data()) == 0,
            "sockets can be made");
    constexpr std::size_t most_pieces = 64, longest_piece = 16384;  // so that all of it fits into the buffer
    piece = std::clamp(piece, text.size() / most_pieces + 1, longest_piece);
    for (std::size_t i = 0; i < text.size(); i += piece) {
      const auto part = text.substr(i, piece);
      require(::send(ends_[1], part.data(), part.size(), MSG_DONTWAIT) == static_cast<ssize_t>(part.size()),
              "sent");
    }
    ::close(ends_[1]);
  }
  ~Pieces() { ::close(ends_[0]); }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  int descriptor() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{};
};

Result read_chunks(std::string_view text, std::size_t piece, std::size_t most) {
  const Pieces pieces(text, piece);
  translation::LineChunks chunks(pieces.descriptor(), "input");
  return collect(chunks.reader(), [&](std::vector<std::string>& lines) {
    const auto next = chunks.next(most);
    require(next.size() <= most, "no more lines than asked for");
    lines.insert(lines.end(), next.begin(), next.end());
    return !next.empty();
  });
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string text = "\xef\xbb\xbfone\r\ntwo\n\n\n\rthree \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n" +
                           std::string(300, 'x') + "\nlast\r";
  using namespace std::string_literals;
  const auto gzip =
      "\0\0\037\213\010\000\000\000\000\000\002\003\313\317\113\345\052\051\317\347\002\000\346\013\272\022\010\000\000\000"s;
  const auto zstandard = "\1\2\x28\xb5\x2f\xfd\x20\x08\x41\0\0one\ntwo\n"s;
  return {gzip,          zstandard,       std::string("\0\0", 2) + text,
          "\5\1" + text, "\xff\7" + text, std::string("\1\3\0\n\xff", 5)};
}

std::vector<std::string> words() {
  return {"\n",
          "\r\n",
          "\r",
          std::string(1, '\0'),
          "\xef\xbb\xbf",
          "\xc0\x80",
          "\xed\xa0\x80",
          "\xf4\x90\x80\x80",
          "\xf0\x9f\x98\x80"};
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer::fuzz;
  constexpr std::size_t longest = 100'000;  // what the socket holds without a reader
  if (size < 2) return 0;
  const auto text = text_of(data + 2, std::min(size - 2, longest));
  if (transformer::decompressor_for(text)) {  // what comes before damage depends on the pieces
    constexpr std::size_t some = 2000;        // which may unpack to fifty megabytes
    read_chunks(std::string_view(text).substr(0, some), data[0] + 1U, data[1] % 8 + 1U);
    return 0;
  }
  const Result lines = read_stream(text);
  const Result chunks = read_chunks(text, data[0] + 1U, data[1] % 8 + 1U);
  require(chunks.error == lines.error && chunks.windows_line_ends == lines.windows_line_ends,
          "chunks and lines are refused alike");
  // The lines before a refused one are lost with their chunk.
  require(lines.error.empty() ? chunks.lines.size() == lines.lines.size()
                              : chunks.lines.size() <= lines.lines.size(),
          "chunks hold all lines");
  require(std::equal(chunks.lines.begin(), chunks.lines.end(), lines.lines.begin()),
          "chunks hold the text's lines");
  return 0;
}
