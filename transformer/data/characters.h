// Characters of texts in UTF-8, as tokenizers sees them, the library below transformers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transformer::data {

/// A code point of Unicode.
using Character = std::int32_t;

/// Removes the character at the front of a text that is not empty. What is no UTF-8 is negative.
Character take_character(std::string_view& text);

/// The same, → its bytes.
std::string_view take_bytes_of_character(std::string_view& text);

void append_character(std::string& text, Character c);

/// The category in Unicode 8, as one of ICU's masks, such as U_GC_MN_MASK: what tokenizers knows.
std::uint32_t category_of(Character c);

/// In small letters by itself: "Σ" becomes "σ" at the end of a word, too. "İ" becomes two characters.
void append_small(std::string& text, Character c);

}  // namespace transformer::data
