#include "transformer/translation/line_chunks.h"

#include <poll.h>

#include <array>
#include <utility>

#include "transformer/base/streams.h"

namespace transformer::translation {
namespace {

/// A program that writes to a pipe is given this long to go on; a person does not notice it.
constexpr int kPatience = 20;  // milliseconds

/// A chunk of ordinary lines stays far below this; one of very long lines must not fill the memory.
constexpr std::size_t kChunkBytes = 1 << 24;

bool readable(int descriptor, int milliseconds) {
  pollfd state{descriptor, POLLIN, 0};
  return poll(&state, 1, milliseconds) > 0;
}

}  // namespace

DescriptorBuffer::DescriptorBuffer(int descriptor, std::string name)
    : descriptor_(descriptor),
      name_(std::move(name)),
      unpacker_([this](std::span<char> bytes) { return read_some(descriptor_, bytes, name_); }, name_) {}

bool DescriptorBuffer::read_more() {
  if (ended_) return false;
  // What std::istream has taken already makes room.
  bytes_.erase(0, static_cast<std::size_t>(gptr() - eback()));
  std::array<char, 65536> piece;
  const auto count = unpacker_.read(piece);
  bytes_.append(piece.data(), count);
  setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
  ended_ = count == 0;
  return !ended_;
}

bool DescriptorBuffer::line_arrives(int milliseconds) {
  std::size_t seen = 0;
  while (true) {
    const std::string_view waiting(gptr(), static_cast<std::size_t>(egptr() - gptr()));
    if (ended_ || waiting.find('\n', seen) != std::string_view::npos) return true;
    if (waiting.size() > kLongestLine) return true;  // to be refused
    seen = waiting.size();
    if (!unpacker_.pending() && !readable(descriptor_, milliseconds)) return false;
    read_more();
  }
}

DescriptorBuffer::int_type DescriptorBuffer::underflow() {
  if (gptr() == egptr() && !read_more()) return traits_type::eof();
  return traits_type::to_int_type(*gptr());
}

LineChunks::LineChunks(int descriptor, const std::string& name)
    : buffer_(descriptor, name), stream_(&buffer_), reader_(stream_, name) {
  stream_.exceptions(std::ios::badbit);  // passes on what the buffer throws
}

std::vector<std::string> LineChunks::next(std::size_t most) {
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  std::string line;
  while (lines.size() < most && bytes < kChunkBytes && (lines.empty() || buffer_.line_arrives(kPatience)) &&
         reader_.next(line)) {
    bytes += line.size();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace transformer::translation
