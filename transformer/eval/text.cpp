#include "transformer/eval/text.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>
#include <stdexcept>

namespace transformer::eval {
namespace {

/// Reads the code point at `position` and moves `position` behind it.
char32_t next(std::string_view text, std::size_t& position) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 code_point = 0;
  U8_NEXT_OR_FFFD(bytes, position, text.size(), code_point);
  return static_cast<char32_t>(code_point);
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0;
}

bool has_category(char32_t c, std::uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t here = position;
    if (!is_space(next(text, position))) continue;
    if (here > start) words.push_back(text.substr(start, here - start));
    start = position;
  }
  if (start < text.size()) words.push_back(text.substr(start));
  return words;
}

std::string_view trim_right(std::string_view text) {
  std::size_t end = 0;
  std::size_t position = 0;
  while (position < text.size()) {
    if (!is_space(next(text, position))) end = position;
  }
  return text.substr(0, end);
}

std::string lowercase(std::string_view text) {
  std::string lower;
  icu::StringByteSink<std::string> sink(&lower);
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece source(text.data(), static_cast<std::int32_t>(text.size()));
  icu::CaseMap::utf8ToLower("", 0, source, sink, nullptr, status);  // "": the root locale
  if (U_FAILURE(status))
    throw std::runtime_error(std::string("ICU cannot lower-case: ") + u_errorName(status));
  return lower;
}

std::u32string decode(std::string_view text) {
  std::u32string code_points;
  code_points.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) code_points.push_back(next(text, position));
  return code_points;
}

void append_utf8(std::string& out, char32_t code_point) {
  std::uint8_t bytes[U8_MAX_LENGTH];
  std::size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, static_cast<std::uint32_t>(code_point));
  out.append(reinterpret_cast<const char*>(bytes), length);
}

std::string encode(std::u32string_view code_points) {
  std::string text;
  text.reserve(code_points.size());
  for (const char32_t c : code_points) append_utf8(text, c);
  return text;
}

bool is_punctuation(char32_t c) {
  return has_category(c, U_GC_P_MASK);
}
bool is_symbol(char32_t c) {
  return has_category(c, U_GC_S_MASK);
}
bool is_number(char32_t c) {
  return has_category(c, U_GC_N_MASK);
}
bool is_alphabetic(char32_t c) {
  return u_isUAlphabetic(static_cast<UChar32>(c)) != 0;
}
bool is_alphanumeric(char32_t c) {
  return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_POSIX_ALNUM) != 0;
}
bool is_lowercase(char32_t c) {
  return u_isULowercase(static_cast<UChar32>(c)) != 0;
}

}  // namespace transformer::eval
