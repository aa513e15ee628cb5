// The text of files that may be compressed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transformer/base/decompressor.h"

namespace transformer {

/// Hands on what a source gives, unpacked where it is compressed by gzip or Zstandard, which the first bytes
/// tell.
class Unpacker {
 public:
  /// Puts the next bytes to where it is told and returns how many; 0 at the end.
  using Source = std::function<std::size_t(std::span<char>)>;

  /// `name` stands for the source in messages.
  Unpacker(Source source, std::string name) : source_(std::move(source)), name_(std::move(name)) {}

  /// The next bytes; how many, and 0 at the end. Throws InputError for compressed data that are damaged, cut
  /// off or of another format, and what the source throws.
  std::size_t read(std::span<char> text);

  /// Whether there may be more to read without asking the source.
  bool pending() const { return more_inside_ || !block_left_.empty(); }

 private:
  void begin();
  std::size_t unpack(std::span<char> text);

  Source source_;
  std::string name_;
  bool begun_ = false;
  std::vector<char> block_;      ///< what the source gave
  std::string_view block_left_;  ///< what of it is not used yet
  std::unique_ptr<Decompressor> decompressor_;
  bool more_inside_ = false;  ///< of it
};

}  // namespace transformer
