// Which pieces of a vocabulary begin a word.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// Whether each id of a vocabulary begins with a blank or line end, or is an unknown word.
std::vector<bool> word_begins(const Tokenizer& tokenizer);

/// The same for a training that must know the words, because of a key of the configuration. Throws
/// InputError, naming it, for pieces that do not say where words begin.
std::vector<bool> begins_to_learn(const Tokenizer& tokenizer, const char* key);

/// The places of the pieces that begin words: the first one, and each that begins with a blank. ids: without
/// begin and end. begins: of word_begins().
std::vector<std::int64_t> first_pieces(std::span<const std::int32_t> ids, const std::vector<bool>& begins);

}  // namespace transformer::data
