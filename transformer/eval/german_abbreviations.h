// Words of German text whose full stop belongs to them.
#pragma once

#include <string_view>

namespace transformer::eval {

/// Whether a full stop behind `word` is kept with it wherever it stands, as by Moses' tokenizer for German:
/// a letter from A to Z or a to z, an ordinal number (1 to 99, or I to XX in capitals or small letters), or
/// one of the abbreviations in german_abbreviations.cpp. Case counts. Abbreviations with a full stop inside
/// ("z.B.") are none of these: that they keep theirs is a rule of its own.
bool is_german_abbreviation(std::string_view word);

}  // namespace transformer::eval
