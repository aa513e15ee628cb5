#include "transformer/data/albert_rules.h"

#include <fmt/format.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf.h>

#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "transformer/base/blank_mark.h"
#include "transformer/data/character_map.h"
#include "transformer/data/characters.h"

namespace transformer::data {
namespace {

constexpr std::size_t kLeftApart = 6;  // bytes of characters that tokenizers looks up one by one

// Of marks and decompositions tokenizers knows those of Unicode 9. Small letters are as new as ICU's.

bool is_known(Character c) {
  UVersionInfo age;
  u_charAge(c, age);
  return age[0] <= 9;
}

bool is_mark_to_strip(Character c) {
  constexpr UChar32 kSandhi = 0x111C9;                          // punctuation then, a mark now
  constexpr UChar32 kArdhavisarga = 0x1CF2, kRotated = 0x1CF3;  // marks then, letters now
  if (c == kArdhavisarga || c == kRotated) return true;
  return is_known(c) && (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0 && c != kSandhi;
}

/// The steps in front of SentencePiece, for one character or several.
class Steps {
 public:
  Steps(const CharacterMap& own, const AlbertRules& rules) : own_(own), rules_(rules) {
    UErrorCode error = U_ZERO_ERROR;
    decomposition_ = icu::Normalizer2::getNFKDInstance(error);
    if (U_SUCCESS(error) == 0)
      throw std::runtime_error(fmt::format("ICU cannot decompose a text: {}", u_errorName(error)));
  }

  /// Decomposed and small.
  std::string prepared(Character c) const {
    std::string text;
    const auto append = [&](Character part) {
      rules_.lower_case ? append_small(text, part) : append_character(text, part);
    };
    if (rules_.keep_accents) {
      append(c);
      return text;
    }
    icu::UnicodeString decomposed;
    if (!is_known(c) || decomposition_->getDecomposition(c, decomposed) == 0)
      decomposed = icu::UnicodeString(c);
    for (std::int32_t i = 0; i < decomposed.length(); i = decomposed.moveIndex32(i, 1))
      if (const auto part = decomposed.char32At(i); !is_mark_to_strip(part)) append(part);
    return text;
  }

  /// What the model's map makes of a character, or of one with its marks.
  std::string mapped(std::string_view text) const {
    if (text.size() < kLeftApart)
      if (const auto value = own_.first_of(text)) return with_blanks(*value);
    std::string result;
    while (!text.empty()) {
      const auto part = take_bytes_of_character(text);
      result += own_.first_of(part).value_or(part);
    }
    return with_blanks(result);
  }

 private:
  static std::string with_blanks(std::string_view text) {
    std::string result;
    while (!text.empty()) {
      if (text.starts_with(kBlankMark)) {
        text.remove_prefix(kBlankMark.size());
        result += ' ';
        continue;
      }
      const auto c = take_character(text);
      append_character(result, u_isUWhiteSpace(c) != 0 ? ' ' : c);
    }
    return result;
  }

  const CharacterMap& own_;
  const AlbertRules& rules_;
  const icu::Normalizer2* decomposition_ = nullptr;
};

bool is_mark(Character c) {
  const auto kind = u_getIntPropertyValue(c, UCHAR_GRAPHEME_CLUSTER_BREAK);
  return kind == U_GCB_EXTEND || kind == U_GCB_ZWJ || kind == U_GCB_SPACING_MARK;
}

/// Whether a key of the model's map is a character with marks, which tokenizers looks up as a whole.
bool has_marks(std::string_view key) {
  if (key.size() >= kLeftApart) return false;
  take_character(key);
  if (key.empty()) return false;
  while (!key.empty())
    if (!is_mark(take_character(key))) return false;
  return true;
}

/// Characters that become another one, by that one.
using Sources = std::unordered_map<Character, std::vector<Character>>;

/// All texts that become `key`, character by character.
std::vector<std::string> all_sources(std::string_view key, const Steps& steps, const Sources& others) {
  std::vector<std::string> found{""};
  while (!key.empty()) {
    const auto c = take_character(key);
    std::vector<std::string> longer;
    for (const auto& text : found) {
      std::string own;
      append_character(own, c);
      if (steps.prepared(c) == own) longer.push_back(text + own);
      if (const auto from = others.find(c); from != others.end())
        for (const auto other : from->second) append_character(longer.emplace_back(text), other);
    }
    found = std::move(longer);
  }
  return found;
}

}  // namespace

std::string albert_map(std::string_view own, const AlbertRules& rules) {
  const CharacterMap own_map(own);
  const Steps steps(own_map, rules);
  std::map<std::string, std::string> values{{"``", "\""}, {"''", "\""}};
  Sources sources;
  for (Character c = 1; c <= UCHAR_MAX_VALUE; ++c) {
    if (U_IS_SURROGATE(c)) continue;
    std::string text;
    append_character(text, c);
    const auto prepared = steps.prepared(c);
    if (std::string_view rest = prepared; rules.keep_accents && !rest.empty())
      if (const auto first = take_character(rest); rest.empty() && first != c) sources[first].push_back(c);
    // A decomposed character is several by themselves, one in small letters may have marks.
    auto value = std::string();
    if (rules.keep_accents)
      value = steps.mapped(prepared);
    else
      for (std::string_view rest = prepared; !rest.empty();)
        value += steps.mapped(take_bytes_of_character(rest));
    if (value != text) values.emplace(std::move(text), std::move(value));
  }
  // Without accents there are no marks left to a character.
  if (rules.keep_accents)
    for (const auto& [key, value] : own_map.all())
      if (has_marks(key))
        for (const auto& source : all_sources(key, steps, sources)) values.emplace(source, steps.mapped(key));
  return CharacterMap::content_of(values);
}

void round_scores(UnigramModel& model) {
  constexpr float kSteps = 8192;
  for (auto& piece : model.pieces) piece.score = std::round(piece.score * kSteps) / kSteps;
}

void split_numbers_from_commas(UnigramModel& model) {
  constexpr float kLess = 100;
  for (auto& piece : model.pieces) {
    Character before = 0, last = 0;
    std::size_t count = 0;
    for (std::string_view rest = piece.text; !rest.empty(); ++count) {
      before = last;
      last = take_character(rest);
    }
    const auto number = u_getIntPropertyValue(before, UCHAR_NUMERIC_TYPE);
    if (count > 1 && last == ',' && (number == U_NT_DECIMAL || number == U_NT_DIGIT)) piece.score -= kLess;
  }
}

}  // namespace transformer::data
