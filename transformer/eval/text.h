// Unicode as the scorers need it: white space, lower case, general categories. All strings are UTF-8; a byte
// that is not valid UTF-8 counts as U+FFFD.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer::eval {

/// The words between white space, in order; none for a blank line. White space is what Unicode calls it plus
/// the separators U+001C to U+001F, that is, what sacreBLEU splits on. The views point into `text`.
std::vector<std::string_view> split_words(std::string_view text);

/// `text` without the white space at its end.
std::string_view trim_right(std::string_view text);

/// Full lower-casing by Unicode's rules for no particular language: the final sigma is heeded, a letter may
/// become several.
std::string lowercase(std::string_view text);

/// The code points of `text`.
std::u32string decode(std::string_view text);

/// Appends the UTF-8 form of `code_point` to `out`.
void append_utf8(std::string& out, char32_t code_point);

std::string encode(std::u32string_view code_points);

/// Whether the general category of `code_point` is one of Unicode's P*, S* or N*.
bool is_punctuation(char32_t code_point);
bool is_symbol(char32_t code_point);
bool is_number(char32_t code_point);

/// Whether `code_point` has Unicode's property Alphabetic; that or is a decimal digit of any script; has
/// Lowercase. Perl's \p{IsAlpha}, \p{IsAlnum} and \p{IsLower} are these.
bool is_alphabetic(char32_t code_point);
bool is_alphanumeric(char32_t code_point);
bool is_lowercase(char32_t code_point);

}  // namespace transformer::eval
