// Vocabularies of whole words.
#pragma once

#include <cstdint>
#include <filesystem>

#include "transformer/data/tokenizer_training.h"

namespace transformer::data {

/// Counts the words of all lines, which are what stands between blanks after options.normalization, and
/// writes a SentencePiece model of the type WORD to `output`: of the words that occur options.min_frequency
/// times or more, the most frequent, as many as options.vocabulary leaves room for behind the special ones.
/// Of equally frequent words the first by their bytes. The same lines give the same bytes, in any order.
/// Returns the number of lines that were left out as too long (kLongestTrainingLine). Throws InputError,
/// naming the key, where there is no word, or none that is frequent enough.
std::int64_t count_words_of(const LineSource& next, const DataOptions& options,
                            const std::filesystem::path& output);

}  // namespace transformer::data
