#include "data/demo_corpus/words.h"

#include <array>

namespace transformer::demo {
namespace {

bool one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool sibilant(std::string_view word) {
  return one_of(word.back(), "sxz") || word.ends_with("ch") || word.ends_with("sh");
}

bool consonant_and_y(std::string_view word) {
  return word.size() > 1 && word.back() == 'y' && !one_of(word[word.size() - 2], "aeiou");
}

}  // namespace

bool is_mark(std::string_view word) {
  return word == "," || word == "." || word == "?";
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \n", at)) != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(" \n", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(separator, at), text.size());
    pieces.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

// In UTF-8, Ä Ö Ü are C3 84, C3 96, C3 9C, and the small letters lie 0x20 above the capitals, as in ASCII.
std::string lower_first(std::string word) {
  if (word[0] >= 'A' && word[0] <= 'Z') word[0] += 0x20;
  if (word.starts_with("\xc3\x84") || word.starts_with("\xc3\x96") || word.starts_with("\xc3\x9c"))
    word[1] += 0x20;
  return word;
}

std::string upper_first(std::string word) {
  if (word[0] >= 'a' && word[0] <= 'z') word[0] -= 0x20;
  if (word.starts_with("ä") || word.starts_with("ö") || word.starts_with("ü")) word[1] -= 0x20;
  return word;
}

std::string lower(std::string word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] >= 'A' && word[i] <= 'Z') word[i] += 0x20;
    if (word[i] == '\xc3' && i + 1 < word.size() && one_of(word[i + 1], "\x84\x96\x9c")) word[i + 1] += 0x20;
  }
  return word;
}

std::string join_sentence(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_mark(words[i])) {
      if (i + 1 < words.size() && is_mark(words[i + 1])) continue;
    } else if (!text.empty()) {
      text += ' ';
    }
    text += words[i];
  }
  return upper_first(text);
}

std::string english_number(int n) {
  static const std::array<const char*, 20> small = {
      "zero",     "one",     "two",     "three",     "four",     "five",    "six",
      "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static const std::array<const char*, 10> tens = {"",      "",      "twenty",  "thirty", "forty",
                                                   "fifty", "sixty", "seventy", "eighty", "ninety"};
  if (n < 20) return small.at(static_cast<std::size_t>(n));
  const std::string ten = tens.at(static_cast<std::size_t>(n / 10));
  return n % 10 == 0 ? ten : ten + "-" + english_number(n % 10);
}

std::string german_number(int n) {
  static const std::array<const char*, 20> small = {
      "null",     "eins",     "zwei",     "drei",     "vier",     "fünf",    "sechs",
      "sieben",   "acht",     "neun",     "zehn",     "elf",      "zwölf",   "dreizehn",
      "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
  static const std::array<const char*, 10> tens = {"",        "",        "zwanzig", "dreißig", "vierzig",
                                                   "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};
  if (n < 20) return small.at(static_cast<std::size_t>(n));
  std::string ten = tens.at(static_cast<std::size_t>(n / 10));
  if (n % 10 == 0) return ten;
  return (n % 10 == 1 ? "ein" : german_number(n % 10)) + "und" + ten;
}

std::string english_ordinal(int n) {
  static const std::array<const char*, 13> small = {"",      "first",    "second",  "third",  "fourth",
                                                    "fifth", "sixth",    "seventh", "eighth", "ninth",
                                                    "tenth", "eleventh", "twelfth"};
  if (n <= 12) return small.at(static_cast<std::size_t>(n));
  if (n < 20) return english_number(n) + "th";
  if (n % 10 != 0) return english_number(n - n % 10) + "-" + english_ordinal(n % 10);
  const std::string ten = english_number(n);
  return ten.substr(0, ten.size() - 1) + "ieth";
}

std::string german_ordinal(int n) {
  if (n == 1) return "erst";
  if (n == 3) return "dritt";
  if (n == 7) return "siebt";
  if (n == 8) return "acht";
  return german_number(n) + (n < 20 ? "t" : "st");
}

std::string english_plural(const std::string& noun) {
  if (sibilant(noun)) return noun + "es";
  if (consonant_and_y(noun)) return noun.substr(0, noun.size() - 1) + "ies";
  return noun + "s";
}

std::string english_third_person(const std::string& verb) {
  if (verb == "have") return "has";
  if (verb == "be") return "is";
  if (verb == "go" || sibilant(verb)) return verb + "es";
  if (consonant_and_y(verb)) return verb.substr(0, verb.size() - 1) + "ies";
  return verb + "s";
}

std::string english_past(const std::string& verb) {
  if (verb.back() == 'e') return verb + "d";
  if (consonant_and_y(verb)) return verb.substr(0, verb.size() - 1) + "ied";
  return verb + "ed";
}

std::string english_article(std::string_view next_word) {
  for (const std::string_view start : {"uni", "use", "one-"}) {
    if (next_word.starts_with(start)) return "a";
  }
  return next_word.starts_with("honest") || one_of(next_word[0], "aeiouAEIOU") ? "an" : "a";
}

}  // namespace transformer::demo
