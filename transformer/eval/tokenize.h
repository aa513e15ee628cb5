// How a line becomes the words that BLEU counts. Scores under different tokenizations cannot be compared,
// which is why a signature always names it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/choices.h"

namespace transformer::eval {

enum class Tokenization {
  v13a,           ///< mteval-v13a's rules, WMT's standard and the default
  none,           ///< the line is tokenized already
  character,      ///< each code point that is not white space is a word
  international,  ///< mteval-v14's rules, by Unicode's punctuation and symbols
  paper,  ///< Moses' words of German with compounds split, as of the paper's English to German (moses.h)
  moses_german,  ///< Moses' words of German, compounds whole
  moses_english,
  moses_french,
};

/// On command lines and in signatures.
constexpr const char* name_of(Tokenization tokenization) {
  switch (tokenization) {
    case Tokenization::v13a:
      return "13a";
    case Tokenization::none:
      return "none";
    case Tokenization::character:
      return "char";
    case Tokenization::international:
      return "intl";
    case Tokenization::paper:
      return "paper";
    case Tokenization::moses_german:
      return "moses-de";
    case Tokenization::moses_english:
      return "moses-en";
    case Tokenization::moses_french:
      return "moses-fr";
  }
  no_such_choice();
}

/// The tokenization of that name. Throws InputError for any other name.
Tokenization tokenization_from_name(std::string_view name);

struct Language {
  std::string_view code;  ///< ISO 639-1: "de"
  std::string_view name;  ///< "German"
};

/// The only language that a tokenization's rules are for; nothing where they are for any.
std::optional<Language> language_of(Tokenization tokenization);

/// Splits ASCII punctuation off, but keeps commas and dots between digits, apostrophes everywhere and a
/// hyphen that follows no digit; first turns &quot; &amp; &lt; &gt; into the characters that they stand for.
std::vector<std::string> tokenize_13a(std::string_view line);

/// Splits off every Unicode punctuation mark that does not stand between numbers, and every symbol.
std::vector<std::string> tokenize_international(std::string_view line);

std::vector<std::string> tokenize_characters(std::string_view line);

/// Splits at white space only.
std::vector<std::string> tokenize_none(std::string_view line);

/// The words of `line` under `tokenization`, which are those that sacreBLEU 2.6 sees, and for `paper` and
/// Moses' those that multi-bleu.perl sees.
std::vector<std::string> tokenize(std::string_view line, Tokenization tokenization);

}  // namespace transformer::eval
