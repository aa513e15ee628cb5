#include "transformer/eval/moses.h"

#include <algorithm>
#include <cstddef>

#include "transformer/base/ascii.h"
#include "transformer/base/choices.h"
#include "transformer/eval/abbreviations.h"
#include "transformer/eval/spacing.h"
#include "transformer/eval/text.h"

namespace transformer::eval {
namespace {

/// A control character that is no white space is not read at all.
bool is_read(char32_t c) {
  return c >= U' ' || (c >= U'\t' && c <= U'\r');
}

/// The code points of a line, with one space between two words and none at the ends.
std::u32string single_spaced(std::string_view line) {
  std::u32string read = decode(line);
  std::erase_if(read, [](char32_t c) { return !is_read(c); });
  const std::string text = encode(read);
  std::u32string spaced;
  for (const auto word : split_words(text)) {
    if (!spaced.empty()) spaced += U' ';
    spaced += decode(word);
  }
  return spaced;
}

bool stands_alone(char32_t c) {
  constexpr std::u32string_view rules_of_their_own = U" .'`,-";
  return !is_alphanumeric(c) && rules_of_their_own.find(c) == std::u32string_view::npos;
}

/// Two or more full stops in a row become a word.
std::u32string space_dots(const std::u32string& text) {
  std::u32string out;
  out.reserve(text.size() * 2);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(U'.', i), text.size());
    if (end - i > 1) {
      out.append(1, U' ').append(text, i, end - i).append(1, U' ');
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

/// The first rule cannot see the second of two commas, nor the second rule a comma at the end of the line.
std::u32string space_commas(std::u32string text) {
  using C = char32_t;
  text = space_pairs(text, Surround::second, [](C a, C b) { return !is_number(a) && b == U','; });
  text = space_pairs(text, Surround::first, [](C a, C b) { return a == U',' && !is_number(b); });
  if (text.ends_with(U',')) text.insert(text.size() - 1, 1, U' ');
  return text;
}

/// Of English and French. Each rule sees what those before it have written, and no character is beside two
/// apostrophes of one rule ("rock 'n'roll"); an apostrophe at an end of the line is beside one character.
std::u32string space_apostrophes(std::u32string text, bool french) {
  using C = char32_t;
  const auto rule = [&](std::u32string_view written, auto matches) {
    text = replace_between(text, U'\'', written, matches);
  };
  const auto alpha = is_alphabetic;
  rule(U" ' ", [&](C a, C b) { return !alpha(a) && !alpha(b); });
  rule(U" ' ", [&](C a, C b) { return !alpha(a) && alpha(b) && (french || !is_number(a)); });
  rule(U" ' ", [&](C a, C b) { return alpha(a) && !alpha(b); });
  rule(french ? U"' " : U" '", [&](C a, C b) { return alpha(a) && alpha(b); });
  if (!french) rule(U" '", [](C a, C b) { return is_number(a) && b == U's'; });  // 1990's
  return text;
}

std::u32string space_apostrophes(const std::u32string& text, MosesLanguage language) {
  switch (language) {
    case MosesLanguage::german:
      return space_singles(text, [](char32_t c) { return c == U'\''; });
    case MosesLanguage::english:
      return space_apostrophes(text, false);
    case MosesLanguage::french:
      return space_apostrophes(text, true);
  }
  no_such_choice();
}

bool begins_small(std::string_view word) {
  return is_lowercase(decode(word).front());
}

/// Whether the full stop behind `stem` belongs to the word. `next` is empty behind the last word.
bool keeps_full_stop(std::string_view stem, std::string_view next, MosesLanguage language) {
  if (stem.find('.') != std::string_view::npos) {
    if (std::ranges::any_of(decode(stem), is_alphabetic)) return true;
  }
  if (is_abbreviation(stem, language)) return true;
  if (next.empty()) return false;
  return begins_small(next) || (is_abbreviation_before_number(stem, language) && is_digit(next.front()));
}

/// The quotation that a full stop and ' end: no rule for ' saw the one at the end of the line.
void split_end_of_quotation(std::vector<std::string>& words) {
  if (words.empty() || !words.back().ends_with(".'")) return;
  words.back().resize(words.back().size() - 2);
  if (words.back().empty()) words.pop_back();
  words.emplace_back(".");
  words.emplace_back("'");
}

}  // namespace

std::vector<std::string> tokenize_moses(std::string_view line, MosesLanguage language) {
  std::u32string text = space_singles(single_spaced(line), stands_alone);
  text = space_apostrophes(space_commas(space_dots(text)), language);

  const std::string spaced = encode(text);
  const auto words = split_words(spaced);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto next = i + 1 < words.size() ? words[i + 1] : std::string_view();
    const auto stem = words[i].substr(0, words[i].size() - 1);
    const bool only_dots = words[i].find_first_not_of('.') == std::string_view::npos;
    if (!words[i].ends_with('.') || only_dots || keeps_full_stop(stem, next, language)) {
      result.emplace_back(words[i]);
    } else {
      result.emplace_back(stem);
      result.emplace_back(".");
    }
  }
  split_end_of_quotation(result);
  return result;
}

// By bytes: whatever is beside the hyphen, it is no white space.
std::vector<std::string> split_compounds(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const auto& word : words) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i + 2 < word.size();) {
      if (word[i + 1] != '-') {
        ++i;
        continue;
      }
      result.push_back(word.substr(begin, i + 1 - begin));
      result.emplace_back(kCompoundHyphen);
      begin = i + 2;
      i += 3;
    }
    result.push_back(word.substr(begin));
  }
  return result;
}

}  // namespace transformer::eval
