// Vocabularies of characters, and of bytes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "transformer/data/tokenizer_training.h"

namespace transformer::data {

/// Counts the characters (code points) of all lines after options.normalization, and writes a SentencePiece
/// model of the type CHAR to `output`: of the characters that occur options.min_frequency times or more, the
/// most frequent, as many as options.vocabulary leaves room for. Where documents have several lines, the line
/// end is a character, too, if the normalisation keeps it. No blank is added in front of a text, and none is
/// taken away. Returns and throws as count_words_of does (word_vocabulary.h).
std::int64_t count_characters_of(const LineSource& next, const DataOptions& options,
                                 const std::filesystem::path& output);

/// Writes a SentencePiece model whose pieces are the 256 bytes, behind the special ones, after
/// options.normalization. It reads no line, and returns 0.
std::int64_t make_bytes(const LineSource& next, const DataOptions& options,
                        const std::filesystem::path& output);

}  // namespace transformer::data
