#include "transformer/data/word_pieces.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/data/characters.h"

namespace transformer::data {
namespace {

constexpr std::string_view kGoesOn = "##";
constexpr std::size_t kMostCharacters = 100;  // characters
constexpr std::size_t kNormalizedAtOnce = 1U << 16U,
                      kMostWithoutBlank = 1U << 28U;  // bytes; ICU counts in int

bool is_left_out(UChar32 c) {
  constexpr UChar32 kReplacement = 0xFFFD;
  if (c == '\t' || c == '\n' || c == '\r') return false;
  return c <= 0 || c == kReplacement || (category_of(c) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) != 0;
}

/// The blocks of ideographs, and what BERT's own program has in the place of extension E.
bool is_chinese(UChar32 c) {
  struct Block {
    UChar32 first, last;
  };
  static constexpr std::array kBlocks{
      Block{0x3400, 0x4DBF},   Block{0x4E00, 0x9FFF},   Block{0xF900, 0xFAFF},   Block{0x20000, 0x2A6DF},
      Block{0x2A700, 0x2B73F}, Block{0x2B740, 0x2B81F}, Block{0x2B920, 0x2CEAF}, Block{0x2F800, 0x2FA1F}};
  return std::ranges::any_of(kBlocks, [c](const Block& b) { return b.first <= c && c <= b.last; });
}

bool is_punctuation(UChar32 c) {
  if (c < 0x80) return c > ' ' && c != 0x7F && u_isalnum(c) == 0;
  return (category_of(c) & U_GC_P_MASK) != 0;
}

std::string cleaned(std::string_view text, bool chinese_characters) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto c = take_character(text);
    if (is_left_out(c)) continue;
    const bool apart = chinese_characters && is_chinese(c);
    if (apart) result += ' ';
    append_character(result, u_isUWhiteSpace(c) != 0 ? ' ' : c);
    if (apart) result += ' ';
  }
  return result;
}

std::string without_accents(std::string_view text) {
  if (std::ranges::all_of(text, [](char byte) { return static_cast<unsigned char>(byte) < 0x80; }))
    return std::string(text);
  UErrorCode error = U_ZERO_ERROR;
  const auto* decomposition = icu::Normalizer2::getNFDInstance(error);
  std::string decomposed, result;
  if (U_SUCCESS(error) != 0) {
    icu::StringByteSink<std::string> sink(&decomposed);
    decomposition->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                                 sink, nullptr, error);
  }
  if (U_SUCCESS(error) == 0)
    throw std::runtime_error(fmt::format("ICU cannot decompose a text: {}", u_errorName(error)));
  for (std::string_view left = decomposed; !left.empty();)
    if (const auto c = take_character(left); (category_of(c) & U_GC_MN_MASK) == 0)
      append_character(result, c);
  return result;
}

std::string in_lower_case(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) append_small(result, take_character(text));
  return result;
}

/// Removes the next word, without the blanks in front of it. → empty at the end of the text
std::string_view take_word(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  auto rest = text;
  while (!rest.empty()) {
    auto behind = rest;
    const auto c = take_character(behind);
    if (c == ' ') break;
    const bool first = rest.size() == text.size();
    if (is_punctuation(c)) {
      if (first) rest = behind;
      break;
    }
    rest = behind;
  }
  const auto word = text.substr(0, text.size() - rest.size());
  text = rest;
  return word;
}

std::size_t characters_of(std::string_view word) {
  return static_cast<std::size_t>(std::ranges::count_if(
      word, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

constexpr std::array<std::pair<const char*, bool WordPieceOptions::*>, 3> kWordPieceOptions{
    {{"lower_case", &WordPieceOptions::lower_case},
     {"strip_accents", &WordPieceOptions::strip_accents},
     {"chinese_characters", &WordPieceOptions::chinese_characters}}};

std::string first_line(const WordPieceOptions& options) {
  std::string line = "WordPiece";
  for (const auto& [name, member] : kWordPieceOptions) line += fmt::format(" {}={:d}", name, options.*member);
  return line;
}

}  // namespace

WordPieces::WordPieces(std::string_view content, const std::string& name)
    : WordPieces(read(content, name), name) {}

std::string WordPieces::content_of(const std::vector<std::string>& pieces, const WordPieceOptions& options) {
  auto content = first_line(options) + "\n";
  for (const auto& piece : pieces) content += piece + "\n";
  return content;
}

WordPieces::Content WordPieces::read(std::string_view content, const std::string& name) {
  Content result;
  const auto line = content.substr(0, content.find('\n'));
  for (const auto& [option, member] : kWordPieceOptions)
    result.options.*member = line.find(fmt::format(" {}=1", option)) != std::string_view::npos;
  if (line != first_line(result.options) || !content.ends_with('\n'))
    throw InputError(
        fmt::format("{}: expected options and pieces of WordPiece, found damaged content", name));
  content.remove_prefix(line.size() + 1);
  while (!content.empty()) {
    const auto size = content.find('\n');
    result.pieces.emplace_back(content.substr(0, size));
    content.remove_prefix(size + 1);
  }
  return result;
}

std::string WordPieces::normalized(std::string_view text) const {
  auto result = cleaned(text, options_.chinese_characters);
  if (options_.strip_accents) result = without_accents(result);
  return options_.lower_case ? in_lower_case(result) : result;
}

std::vector<std::int32_t> WordPieces::encode(std::string_view text, std::size_t most) const {
  std::vector<std::int32_t> ids;
  while (!text.empty() && ids.size() <= most) {
    const auto size = std::min(text.find(' ', kNormalizedAtOnce), text.size());
    if (size > kMostWithoutBlank)
      throw InputError(
          fmt::format("a text: expected a blank within {} bytes, found none", kMostWithoutBlank));
    const auto normal = normalized(text.substr(0, size));
    text.remove_prefix(size);
    std::string_view rest = normal;
    for (auto word = take_word(rest); !word.empty() && ids.size() <= most; word = take_word(rest))
      append_word(word, ids);
  }
  return ids;
}

void WordPieces::append_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  const auto before = ids.size();
  if (characters_of(word) > kMostCharacters) {
    ids.push_back(kUnknown);
    return;
  }
  std::string piece;
  for (std::size_t begin = 0; begin < word.size();) {
    piece = begin == 0 ? std::string() : std::string(kGoesOn);
    const auto front = piece.size();
    piece += word.substr(begin);
    auto id = vocabulary_.id_of(piece);
    while (id == kUnknown && piece.size() > front) {
      do {
        piece.pop_back();
      } while (piece.size() > front &&
               (static_cast<unsigned char>(word[begin + piece.size() - front]) & 0xC0U) == 0x80U);
      if (piece.size() > front) id = vocabulary_.id_of(piece);
    }
    if (id == kUnknown) {
      ids.resize(before);
      ids.push_back(kUnknown);
      return;
    }
    ids.push_back(id);
    begin += piece.size() - front;
  }
}

std::string WordPieces::bytes_of(std::int32_t id) const {
  const std::string& piece = vocabulary_.pieces()[static_cast<std::size_t>(id)];
  const bool goes_on = piece.starts_with(kGoesOn) && piece.size() > kGoesOn.size();
  return goes_on ? piece.substr(kGoesOn.size()) : " " + piece;
}

}  // namespace transformer::data
