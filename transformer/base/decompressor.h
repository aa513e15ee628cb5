// Compressed files, unpacked as they are read.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace transformer {

class Decompressor {
 public:
  virtual ~Decompressor() = default;

  /// The format's name, for messages.
  virtual std::string_view format() const = 0;

  /// Unpacks some of `compressed`, which begins after what was used before, into `text`; removes from
  /// `compressed` what it has used, and returns how many bytes it wrote. 0: more input is needed. Throws
  /// std::runtime_error, which names the damage, for what is not of the format.
  virtual std::size_t unpack(std::string_view& compressed, std::span<char> text) = 0;

  /// Whether the compressed data may end here.
  virtual bool whole() const = 0;
};

/// Whether bytes that are at the front of a file are too few to tell.
bool may_become_compressed(std::string_view first_bytes);

/// For a file that begins with these bytes; null where they are of no format that is known. No text in UTF-8
/// begins so.
std::unique_ptr<Decompressor> decompressor_for(std::string_view first_bytes);

/// A format that is known by its first bytes and not unpacked here. No text in UTF-8 begins so.
struct ForeignFormat {
  std::string_view mark, name;
  std::string_view way_out;  ///< the command that unpacks it
};

/// The one of a file that begins with these bytes; null where there is none.
const ForeignFormat* foreign_format(std::string_view first_bytes);

}  // namespace transformer
