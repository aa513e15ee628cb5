#include "transformer/base/decompressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>

namespace transformer {
namespace {

/// One or more members in a row, with zeros behind each.
class Gzip : public Decompressor {
 public:
  Gzip() {
    constexpr int gzip_alone = 16;
    if (inflateInit2(&state_, MAX_WBITS + gzip_alone) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&state_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::string_view format() const override { return "gzip"; }
  bool whole() const override { return ended_; }

  std::size_t unpack(std::string_view& compressed, std::span<char> text) override {
    // Zeros that fill up a tape's block: gzip passes over them, too.
    if (ended_) compressed.remove_prefix(std::min(compressed.find_first_not_of('\0'), compressed.size()));
    if (ended_ && compressed.empty()) return 0;
    if (ended_) inflateReset(&state_);
    const auto taken = clamped(compressed.size()), room = clamped(text.size());
    // zlib reads what next_in points to and does not write there.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    state_.next_out = reinterpret_cast<Bytef*>(text.data());
    state_.avail_in = taken;
    state_.avail_out = room;
    const int result = inflate(&state_, Z_NO_FLUSH);
    compressed.remove_prefix(taken - state_.avail_in);
    ended_ = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      throw std::runtime_error(state_.msg != nullptr ? state_.msg : zError(result));
    return room - state_.avail_out;
  }

 private:
  static uInt clamped(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
  }

  z_stream state_{};
  bool ended_ = false;
};

/// One or more frames in a row.
class Zstandard : public Decompressor {
 public:
  Zstandard() {
    if (!state_) throw std::bad_alloc();
  }

  std::string_view format() const override { return "Zstandard"; }
  bool whole() const override { return ended_; }

  std::size_t unpack(std::string_view& compressed, std::span<char> text) override {
    if (ended_ && compressed.empty()) return 0;
    ZSTD_inBuffer from{compressed.data(), compressed.size(), 0};
    ZSTD_outBuffer to{text.data(), text.size(), 0};
    const auto left = ZSTD_decompressStream(state_.get(), &to, &from);
    if (ZSTD_isError(left) != 0) throw std::runtime_error(ZSTD_getErrorName(left));
    compressed.remove_prefix(from.pos);
    ended_ = left == 0;
    return to.pos;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> state_{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  bool ended_ = false;
};

constexpr std::string_view kGzip = "\x1F\x8B";
constexpr std::string_view kZstandard = "\x28\xB5\x2F\xFD";

/// '?' stands for any byte.
constexpr std::array kForeign = {
    ForeignFormat{"BZh?1AY&SY", "bzip2", "bzip2 -dc"},
    ForeignFormat{std::string_view("\xFD\x37zXZ\0", 6), "xz", "xz -dc"},
    ForeignFormat{"\x04\x22\x4D\x18", "LZ4", "lz4 -dc"},
    ForeignFormat{"\x1F\x9D", "compress", "gzip -dc"},
    ForeignFormat{"PK\x03\x04", "zip", "unzip -p"},
};

/// Whether the bytes are those of a mark, as far as there are any.
bool agree(std::string_view bytes, std::string_view mark) {
  const auto size = std::min(bytes.size(), mark.size());
  return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size), mark.begin(),
                    [](char byte, char expected) { return expected == '?' || byte == expected; });
}

}  // namespace

bool may_become_compressed(std::string_view first_bytes) {
  const auto begins = [&](std::string_view mark) {
    return first_bytes.size() < mark.size() && agree(first_bytes, mark);
  };
  return begins(kGzip) || begins(kZstandard) ||
         std::ranges::any_of(kForeign, [&](const auto& format) { return begins(format.mark); });
}

const ForeignFormat* foreign_format(std::string_view first_bytes) {
  const auto* found = std::ranges::find_if(kForeign, [&](const auto& format) {
    return first_bytes.size() >= format.mark.size() && agree(first_bytes, format.mark);
  });
  return found == kForeign.end() ? nullptr : found;
}

std::unique_ptr<Decompressor> decompressor_for(std::string_view first_bytes) {
  if (first_bytes.starts_with(kGzip)) return std::make_unique<Gzip>();
  if (first_bytes.starts_with(kZstandard)) return std::make_unique<Zstandard>();
  return nullptr;
}

}  // namespace transformer
