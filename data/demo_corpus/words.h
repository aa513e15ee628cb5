// Small operations on words: splitting, letters beyond ASCII, numerals, and regular English inflection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer::demo {

/// The words of a line: what spaces and line ends separate.
std::vector<std::string> split(std::string_view text);
/// Splits at one character; pieces may be empty.
std::vector<std::string> split(std::string_view text, char separator);

/// The first letter in lower or upper case: ASCII, Ä, Ö, Ü.
std::string lower_first(std::string word);
std::string upper_first(std::string word);
/// The whole word in lower case: ASCII, Ä, Ö, Ü.
std::string lower(std::string word);

/// Whether it is "," "." or "?".
bool is_mark(std::string_view word);

/// Joins words with spaces; "," "." "?" stick to the word before them, and of two marks the last one stays.
/// The first letter becomes a capital.
std::string join_sentence(const std::vector<std::string>& words);

/// 1 … 99 in words: twenty-three, dreiundzwanzig.
std::string english_number(int n);
std::string german_number(int n);
/// 1 … 31: twenty-third, dreiundzwanzigst (before its ending).
std::string english_ordinal(int n);
std::string german_ordinal(int n);

std::string english_plural(const std::string& noun);
std::string english_third_person(const std::string& verb);
std::string english_past(const std::string& verb);
/// "a" or "an".
std::string english_article(std::string_view next_word);

}  // namespace transformer::demo
