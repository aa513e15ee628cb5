#include "transformer/base/text_stream.h"

#include <fmt/format.h>

#include <fstream>
#include <span>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/base/unpacker.h"

namespace transformer {
namespace {

class Buffer : public std::streambuf {
 public:
  explicit Buffer(const std::filesystem::path& file)
      : file_(open_text(file)),
        unpacker_([this, file](std::span<char> bytes) { return read(bytes, file); }, file.string()),
        text_(std::size_t{1} << 16U) {}

 protected:
  int_type underflow() override {
    if (gptr() == egptr()) setg(text_.data(), text_.data(), text_.data() + unpacker_.read(text_));
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  std::size_t read(std::span<char> bytes, const std::filesystem::path& file) {
    file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (file_.bad()) throw RunError(fmt::format("{}: reading failed", file.string()));
    return static_cast<std::size_t>(file_.gcount());
  }

  std::ifstream file_;
  Unpacker unpacker_;
  std::vector<char> text_;
};

}  // namespace

TextStream::TextStream(const std::filesystem::path& file)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(file)) {
  rdbuf(buffer_.get());
  exceptions(std::ios::badbit);  // passes on what the buffer throws
}

}  // namespace transformer
