// Words of German, English and French text whose full stop belongs to them.
#pragma once

#include <string_view>

#include "transformer/eval/moses.h"

namespace transformer::eval {

/// Whether a full stop behind `word` is kept with it wherever it stands, as by Moses' tokenizer for that
/// language: a single letter (of German A to Z and a to z; of English A to Z and v; of French A to Z and b to
/// z, for "a" is a word), in German an ordinal number (1 to 99, or I to XX in capitals or small letters), or
/// one of the abbreviations in abbreviations.cpp. Case counts. Abbreviations with a full stop inside ("z.B.",
/// "e.g.", "p.ex.") are none of these: that they keep theirs is a rule of its own.
bool is_abbreviation(std::string_view word, MosesLanguage language);

/// Whether a full stop behind `word` is kept with it before a number alone: "No. 5", but "No."
bool is_abbreviation_before_number(std::string_view word, MosesLanguage language);

}  // namespace transformer::eval
