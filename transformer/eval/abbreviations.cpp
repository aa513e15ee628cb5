#include "transformer/eval/abbreviations.h"

#include <algorithm>
#include <array>
#include <span>

#include "transformer/base/ascii.h"
#include "transformer/base/choices.h"

namespace transformer::eval {
namespace {

using namespace std::string_view_literals;
using Words = std::span<const std::string_view>;

// These tables have exactly Moses' abbreviations. Other words lose their full stop, which becomes a word of
// its own except before a small letter. Examples are "Abb." and "Jan." in German, "Inc." and "Sept." in
// English, "Mme." and "janv." in French.

// English and German. German news uses these for foreign persons, offices, ranks and firms.

constexpr std::array kPersons{
    "Dr"sv, "DR"sv,     "Prof"sv, "Hon"sv, "Bart"sv, "Mr"sv,  "MR"sv, "Mrs"sv, "MRS"sv, "Ms"sv, "MS"sv,
    "MM"sv, "Messrs"sv, "Mlle"sv, "Mme"sv, "Msgr"sv, "Rev"sv, "Rt"sv, "St"sv,  "Ph"sv,  "Sr"sv,
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
    "Bldg"sv, "Bros"sv, "Corp"sv, "Hosp"sv, "Op"sv, "Nos"sv, "Nr"sv, "vs"sv,
};

// Of German alone.

constexpr std::array kGermanRunningText{
    "bzgl"sv, "bzw"sv, "Chr"sv,   "dergl"sv, "dgl"sv, "etc"sv, "evtl"sv, "ff"sv,
    "ggf"sv,  "sog"sv, "sogen"sv, "usf"sv,   "usw"sv, "vgl"sv, "Zt"sv,   "zzt"sv,
};

constexpr std::array kGermanAmounts{
    "Art"sv, "Buchst"sv, "ca"sv, "Ca"sv, "Dkr"sv, "Mio"sv,
    "Mrd"sv, "MwSt"sv,   "No"sv, "pp"sv, "spp"sv, "Std"sv,
};

constexpr std::array kGermanOthers{"jun"sv, "sen"sv, "BSE"sv, "Co"sv, "Ltd"sv, "SA"sv};

// Those of more than one letter.
constexpr std::array kRomanNumerals{
    "II"sv,   "III"sv, "IV"sv,  "VI"sv,   "VII"sv,   "VIII"sv,  "IX"sv,  "XI"sv,  "XII"sv,
    "XIII"sv, "XIV"sv, "XV"sv,  "XVI"sv,  "XVII"sv,  "XVIII"sv, "XIX"sv, "XX"sv,  "ii"sv,
    "iii"sv,  "iv"sv,  "vi"sv,  "vii"sv,  "viii"sv,  "ix"sv,    "xi"sv,  "xii"sv, "xiii"sv,
    "xiv"sv,  "xv"sv,  "xvi"sv, "xvii"sv, "xviii"sv, "xix"sv,   "xx"sv,
};

// Of English alone.

constexpr std::array kEnglishMonths{
    "Jan"sv, "Feb"sv, "Mar"sv, "Apr"sv, "Jun"sv, "Jul"sv, "Aug"sv, "Sep"sv, "Oct"sv, "Nov"sv, "Dec"sv,
};

constexpr std::array kEnglishOthers{"Drs"sv, "Hr"sv, "rev"sv, "Rs"sv};

constexpr std::array kEnglishBeforeNumbers{"Art"sv, "No"sv, "pp"sv};

// Of French.

constexpr std::array kFrenchReferences{
    "al"sv,  "ann"sv,  "art"sv, "cf"sv,  "chap"sv, "\u00e9d"sv, "ex"sv,    "fasc"sv,
    "fig"sv, "ibid"sv, "id"sv,  "inf"sv, "lib"sv,  "ms"sv,      "pl"sv,    "pp"sv,
    "sec"sv, "sect"sv, "sq"sv,  "sqq"sv, "suiv"sv, "sup"sv,     "suppl"sv, "vol"sv,
};

constexpr std::array kFrenchGrammar{"f\u00e9m"sv, "masc"sv, "sing"sv, "vb"sv};

constexpr std::array kFrenchTimesAndAmounts{"apr"sv, "auj"sv, "av"sv, "ca"sv, "env"sv, "hab"sv};

constexpr std::array kFrenchOthers{
    "boul"sv, "contr"sv, "dir"sv, "etc"sv, "fr"sv, "MM"sv, "SS"sv, "t\u00e9l"sv, "vs"sv,
};

constexpr std::array<Words, 4> kEnglishAndGerman{kPersons, kOffices, kRanks, kFirmsAndOthers};
constexpr std::array<Words, 4> kGerman{kGermanRunningText, kGermanAmounts, kGermanOthers, kRomanNumerals};
constexpr std::array<Words, 2> kEnglish{kEnglishMonths, kEnglishOthers};
constexpr std::array<Words, 4> kFrench{kFrenchReferences, kFrenchGrammar, kFrenchTimesAndAmounts,
                                       kFrenchOthers};

bool is_in(std::span<const Words> tables, std::string_view word) {
  return std::ranges::any_of(tables,
                             [&](Words words) { return std::ranges::find(words, word) != words.end(); });
}

bool is_german_ordinal(std::string_view word) {
  return word.size() <= 2 && word[0] != '0' && std::ranges::all_of(word, is_digit);
}

bool is_letter_with_stop(char c, MosesLanguage language) {
  switch (language) {
    case MosesLanguage::german:
      return is_capital_letter(c) || is_small_letter(c);
    case MosesLanguage::english:
      return is_capital_letter(c) || c == 'v';
    case MosesLanguage::french:
      return is_capital_letter(c) || (is_small_letter(c) && c != 'a');
  }
  no_such_choice();
}

}  // namespace

bool is_abbreviation(std::string_view word, MosesLanguage language) {
  if (word.empty()) return false;
  if (word.size() == 1 && is_letter_with_stop(word[0], language)) return true;
  switch (language) {
    case MosesLanguage::german:
      return is_german_ordinal(word) || is_in(kEnglishAndGerman, word) || is_in(kGerman, word);
    case MosesLanguage::english:
      return is_in(kEnglishAndGerman, word) || is_in(kEnglish, word);
    case MosesLanguage::french:
      return is_in(kFrench, word);
  }
  no_such_choice();
}

bool is_abbreviation_before_number(std::string_view word, MosesLanguage language) {
  switch (language) {
    case MosesLanguage::english:
      return std::ranges::find(kEnglishBeforeNumbers, word) != kEnglishBeforeNumbers.end();
    case MosesLanguage::german:
    case MosesLanguage::french:
      return false;
  }
  no_such_choice();
}

}  // namespace transformer::eval
