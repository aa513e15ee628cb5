// Vocabularies of whole words.
#pragma once

#include <cstdint>
#include <filesystem>

#include "transformer/data/tokenizer_training.h"

namespace transformer::data {

/// Counts the words of all lines and writes a SentencePiece model of the type WORD to `output`. A word is the
/// text between two blanks after options.normalization. The model has the special tokens, then the most
/// frequent words, up to options.vocabulary tokens. Each occurs at least options.min_frequency times. Words
/// of equal frequency are sorted by their bytes. The same lines give the same bytes, in any order. Returns
/// the number of lines that were skipped as too long (kLongestTrainingLine). Throws InputError, naming the
/// key, if there is no word, or none frequent enough.
std::int64_t count_words_of(const LineSource& next, const DataOptions& options,
                            const std::filesystem::path& output);

}  // namespace transformer::data
