// A model as the continuation of texts uses it: it reads tokens of several texts and says what follows each.
#pragma once

#include <cstdint>
#include <span>

namespace transformer::search {

class TextModel {
 public:
  /// Tokens by which a text goes on. Its number is the caller's choice; one that is not known begins a text.
  struct Reading {
    std::int64_t text = 0;
    std::span<const std::int32_t> tokens;  ///< at least one
  };

  virtual ~TextModel() = default;

  /// Logits of what follows the last token of each reading: (readings, vocabulary()). They are good until the
  /// next call. Each text comes once at most. Throws InputError when learned positions are too few.
  virtual std::span<const float> read(std::span<const Reading> readings) = 0;

  /// A new text, `to`, begins with all that `from` has read.
  virtual void fork(std::int64_t from, std::int64_t to) = 0;

  /// The text is over.
  virtual void forget(std::int64_t text) = 0;

  virtual std::int64_t vocabulary() const = 0;
};

}  // namespace transformer::search
