// Vocabularies of characters, and of bytes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "transformer/data/tokenizer_training.h"

namespace transformer::data {

/// Counts the characters (code points) of all lines after options.normalization, and writes a SentencePiece
/// model of the type CHAR to `output`. Its pieces are the most frequent characters, as many as
/// options.vocabulary leaves room for. They occur options.min_frequency times or more. The line end is a
/// character of documents that have several lines, if the normalisation keeps it. The model adds no blank in
/// front of a text and takes none away. Returns and throws as count_words_of does (word_vocabulary.h).
std::int64_t count_characters_of(const LineSource& next, const DataOptions& options,
                                 const std::filesystem::path& output);

/// Writes a SentencePiece model whose pieces are the 256 bytes, behind the special ones, after
/// options.normalization. It reads no line, and returns 0.
std::int64_t make_bytes(const LineSource& next, const DataOptions& options,
                        const std::filesystem::path& output);

}  // namespace transformer::data
