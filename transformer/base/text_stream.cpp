#include "transformer/base/text_stream.h"

#include <fmt/format.h>

#include <fstream>
#include <span>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/streams.h"
#include "transformer/base/text_file.h"
#include "transformer/base/unpacker.h"

namespace transformer {
namespace {

class Buffer : public std::streambuf {
 public:
  Buffer(Unpacker::Source source, const std::string& name)
      : unpacker_(std::move(source), name), text_(std::size_t{1} << 16U) {}

 protected:
  int_type underflow() override {
    if (gptr() == egptr()) setg(text_.data(), text_.data(), text_.data() + unpacker_.read(text_));
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  Unpacker unpacker_;
  std::vector<char> text_;
};

Unpacker::Source bytes_of(const std::filesystem::path& path) {
  const auto file = std::make_shared<std::ifstream>(open_text(path));
  return [file, path](std::span<char> bytes) {
    file->read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (file->bad()) throw RunError(fmt::format("{}: reading failed", path.string()));
    return static_cast<std::size_t>(file->gcount());
  };
}

Unpacker::Source bytes_of(int descriptor, const std::string& name) {
  return [=](std::span<char> bytes) { return read_some(descriptor, bytes, name); };
}

}  // namespace

TextStream::TextStream(std::unique_ptr<std::streambuf> buffer)
    : std::istream(nullptr), buffer_(std::move(buffer)) {
  rdbuf(buffer_.get());
  exceptions(std::ios::badbit);  // passes on what the buffer throws
}

TextStream::TextStream(const std::filesystem::path& file)
    : TextStream(std::make_unique<Buffer>(bytes_of(file), file.string())) {}

TextStream::TextStream(int descriptor, const std::string& name)
    : TextStream(std::make_unique<Buffer>(bytes_of(descriptor, name), name)) {}

}  // namespace transformer
