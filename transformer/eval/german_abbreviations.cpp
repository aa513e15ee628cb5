#include "transformer/eval/german_abbreviations.h"

#include <algorithm>
#include <array>

namespace transformer::eval {
namespace {

using namespace std::string_view_literals;

// Moses takes no others for abbreviations, so neither may these tables: "Abb.", "Jan.", "Str." lose their
// full stop to a word of its own, except before a small letter. German news text names foreign offices, ranks
// and firms by their English and French abbreviations.

constexpr std::array kRunningText{
    "bzgl"sv, "bzw"sv,   "Chr"sv, "dergl"sv, "dgl"sv, "etc"sv, "evtl"sv, "ff"sv,  "ggf"sv,
    "sog"sv,  "sogen"sv, "usf"sv, "usw"sv,   "vgl"sv, "vs"sv,  "Zt"sv,   "zzt"sv,
};

constexpr std::array kNumbersAndAmounts{
    "Art"sv,  "Buchst"sv, "ca"sv,  "Ca"sv, "Dkr"sv, "Mio"sv, "Mrd"sv,
    "MwSt"sv, "No"sv,     "Nos"sv, "Nr"sv, "pp"sv,  "spp"sv, "Std"sv,
};

constexpr std::array kPersons{
    "Dr"sv,  "DR"sv, "Prof"sv, "Hon"sv, "Bart"sv,   "Mr"sv,   "MR"sv,  "Mrs"sv,
    "MRS"sv, "Ms"sv, "MS"sv,   "MM"sv,  "Messrs"sv, "Mlle"sv, "Mme"sv, "Msgr"sv,
    "Rev"sv, "Rt"sv, "St"sv,   "Ph"sv,  "Sr"sv,     "jun"sv,  "sen"sv,
};

constexpr std::array kOffices{
    "Adj"sv, "Adv"sv,  "Asst"sv, "Con"sv, "Gov"sv,  "Insp"sv, "Ord"sv,
    "Rep"sv, "Reps"sv, "Res"sv,  "Sen"sv, "Sens"sv, "Supt"sv, "Surg"sv,
};

constexpr std::array kRanks{
    "Adm"sv, "Brig"sv, "Capt"sv, "Cmdr"sv, "Col"sv, "Comdr"sv, "Cpl"sv, "Ens"sv,
    "Gen"sv, "Lt"sv,   "Maj"sv,  "Pfc"sv,  "Pvt"sv, "Sfc"sv,   "Sgt"sv,
};

constexpr std::array kFirmsAndOthers{
    "Bldg"sv, "Bros"sv, "BSE"sv, "Co"sv, "Corp"sv, "Hosp"sv, "Ltd"sv, "Op"sv, "SA"sv,
};

// Those of more than one letter.
constexpr std::array kRomanNumerals{
    "II"sv,   "III"sv, "IV"sv,  "VI"sv,   "VII"sv,   "VIII"sv,  "IX"sv,  "XI"sv,  "XII"sv,
    "XIII"sv, "XIV"sv, "XV"sv,  "XVI"sv,  "XVII"sv,  "XVIII"sv, "XIX"sv, "XX"sv,  "ii"sv,
    "iii"sv,  "iv"sv,  "vi"sv,  "vii"sv,  "viii"sv,  "ix"sv,    "xi"sv,  "xii"sv, "xiii"sv,
    "xiv"sv,  "xv"sv,  "xvi"sv, "xvii"sv, "xviii"sv, "xix"sv,   "xx"sv,
};

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_ordinal(std::string_view word) {
  return word.size() <= 2 && word[0] != '0' && std::ranges::all_of(word, is_digit);
}

template <typename Words>
bool is_in(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

bool is_german_abbreviation(std::string_view word) {
  if (word.empty()) return false;
  if (word.size() == 1 && is_letter(word[0])) return true;
  return is_ordinal(word) || is_in(kRomanNumerals, word) || is_in(kRunningText, word) ||
         is_in(kNumbersAndAmounts, word) || is_in(kPersons, word) || is_in(kOffices, word) ||
         is_in(kRanks, word) || is_in(kFirmsAndOthers, word);
}

}  // namespace transformer::eval
