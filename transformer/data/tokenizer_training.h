// Section 5.1: subword vocabularies trained on text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "transformer/base/special_tokens.h"
#include "transformer/data/options.h"

namespace transformer::data {

/// Lines of more bytes than this do not shape the vocabulary (they are encoded like all others).
inline constexpr std::size_t kLongestTrainingLine = 8192;

/// The special tokens of a vocabulary.
constexpr std::int64_t special_pieces(const DataOptions& options) {
  return kEos + 1 + (options.masks ? 1 : 0);
}

/// The pieces of a vocabulary that come from no text: the special tokens, and the bytes.
constexpr std::int64_t pieces_of_no_text(const DataOptions& options) {
  return special_pieces(options) + (options.byte_fallback ? 256 : 0);
}

/// The message about a training text without a line that can shape a vocabulary. too_long: lines that were
/// longer than kLongestTrainingLine.
std::string describe_no_text(std::int64_t too_long);

/// Gives one line after another; false at the end.
using LineSource = std::function<bool(std::string&)>;

/// Trains a byte-pair encoding of exactly options.vocabulary pieces (section 5.1) on all lines, in order,
/// with options.normalization and options.byte_fallback, and writes the model to `output`. Every character of
/// the lines gets a piece. The same lines give the same bytes, on any number of cores. Returns the number of
/// lines that were left out as too long. Throws InputError, naming data.vocabulary and the possible limit,
/// when the texts cannot give that many pieces or need more.
std::int64_t train_tokenizer_on(const LineSource& next, const DataOptions& options,
                                const std::filesystem::path& output);

}  // namespace transformer::data
