// Words of German, English and French text whose full stop belongs to them.
#pragma once

#include <string_view>

#include "transformer/eval/moses.h"

namespace transformer::eval {

/// Whether Moses' tokenizer for that language keeps a full stop with `word` in every place. It does so for:
/// * A single letter: A to Z and a to z in German, A to Z and v in English, A to Z and b to z in French,
///   where "a" is a word.
/// * An ordinal number in German: 1 to 99, or I to XX in capitals or small letters.
/// * An abbreviation in abbreviations.cpp. Case counts.
///
/// Abbreviations with a full stop inside ("z.B.", "e.g.", "p.ex.") are covered by another rule.
bool is_abbreviation(std::string_view word, MosesLanguage language);

/// Whether a full stop behind `word` is kept only before a number. "No. 5" keeps it; "No." alone does not.
bool is_abbreviation_before_number(std::string_view word, MosesLanguage language);

}  // namespace transformer::eval
