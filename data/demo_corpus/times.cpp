// Adverbials that are translated as a whole: times, manners, frequencies.
#include "data/demo_corpus/lexicon.h"
#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

struct Unit {
  const char *en, *de, *dative_plural, *last, *next, *every, *current;
};

constexpr const char* kDays[][2] = {
    {"Monday", "Montag"},  {"Tuesday", "Dienstag"}, {"Wednesday", "Mittwoch"}, {"Thursday", "Donnerstag"},
    {"Friday", "Freitag"}, {"Saturday", "Samstag"}, {"Sunday", "Sonntag"}};
constexpr const char* kMonths[][2] = {
    {"January", "Januar"},  {"February", "Februar"},  {"March", "März"},
    {"April", "April"},     {"May", "Mai"},           {"June", "Juni"},
    {"July", "Juli"},       {"August", "August"},     {"September", "September"},
    {"October", "Oktober"}, {"November", "November"}, {"December", "Dezember"}};
constexpr const char* kParts[][2] = {
    {"morning", "morgen"}, {"afternoon", "nachmittag"}, {"evening", "abend"}};
constexpr Unit kUnits[] = {{"week", "Woche", "Wochen", "letzte", "nächste", "jede", "diese"},
                           {"month", "Monat", "Monaten", "letzten", "nächsten", "jeden", "diesen"},
                           {"year", "Jahr", "Jahren", "letztes", "nächstes", "jedes", "dieses"},
                           {"summer", "Sommer", "", "letzten", "nächsten", "jeden", "diesen"},
                           {"winter", "Winter", "", "letzten", "nächsten", "jeden", "diesen"},
                           {"hour", "Stunde", "Stunden", "", "", "jede", ""},
                           {"day", "Tag", "Tagen", "", "", "jeden", ""}};

}  // namespace

void add_times(Lexicon& lexicon) {
  auto& past = lexicon.past_times;
  auto& present = lexicon.present_times;
  auto& future = lexicon.future_times;
  const auto add_all = [&](const std::string& en, const std::string& de, const std::string& links = "") {
    for (auto* list : {&past, &present, &future}) list->push_back({en, de, links});
  };
  past.push_back({"yesterday", "gestern"});
  present.push_back({"today", "heute"});
  present.push_back({"now", "jetzt"});
  future.push_back({"tomorrow", "morgen"});
  for (const auto& part : kParts) {
    const std::string en = part[0], de = upper_first(part[1]);
    past.push_back({"yesterday " + en, "gestern " + de});
    if (en != "morning") future.push_back({"tomorrow " + en, "morgen " + de});
    present.push_back({"every " + en, "jeden " + de});
    add_all("in the " + en, "am " + de, "0-0 1-0 2-1");
  }
  for (const auto& day : kDays) {
    const std::string en = day[0], de = day[1];
    past.push_back({"last " + en, "letzten " + de});
    future.push_back({"next " + en, "nächsten " + de});
    present.push_back({"every " + en, "jeden " + de});
    add_all("on " + en, "am " + de);
    for (const auto& part : kParts) add_all("on " + en + " " + part[0], "am " + de + part[1], "0-0 1-1 2-1");
  }
  for (const Unit& unit : kUnits) {
    const std::string en = unit.en, de = unit.de;
    if (*unit.last != '\0') past.push_back({"last " + en, unit.last + (" " + de)});
    if (*unit.next != '\0') future.push_back({"next " + en, unit.next + (" " + de)});
    present.push_back({"every " + en, unit.every + (" " + de)});
    if (*unit.dative_plural == '\0') continue;
    for (int n = 2; n <= 12; ++n) {
      const std::string units = " " + std::string(unit.dative_plural);
      past.push_back(
          {english_number(n) + " " + en + "s ago", "vor " + german_number(n) + units, "0-1 1-2 2-0"});
      future.push_back({"in " + english_number(n) + " " + en + "s", "in " + german_number(n) + units});
    }
  }
  for (int day = 1; day <= 31; ++day) {
    for (const auto& month : kMonths) {
      if ((day * 7 + month[0][0]) % 5 != 0) continue;  // a fifth of the dates is enough to learn the pattern
      const std::string en = "on the " + english_ordinal(day) + " of " + month[0];
      const std::string de = "am " + german_ordinal(day) + "en " + month[1];
      const std::string links = "0-0 1-0 2-1 3?2 4-2";
      past.push_back({en, de, links});
      future.push_back({en, de, links});
    }
  }
  for (const auto& month : kMonths) add_all(std::string("in ") + month[0], std::string("im ") + month[1]);
  for (int hour = 2; hour <= 12; ++hour) {
    add_all("at " + english_number(hour) + " o'clock", "um " + german_number(hour) + " Uhr");
  }
  for (int year = 1950; year <= 2020; ++year) {
    past.push_back({"in " + std::to_string(year), "im Jahr " + std::to_string(year), "0-0 1?1 1-2"});
  }
  for (const std::string& line : split(manner_table(), '\n')) {
    const auto words = split(line);
    if (!words.empty()) lexicon.manner.push_back({words[0], words[1]});
  }
  lexicon.frequency = {{"always", "immer"},
                       {"often", "oft"},
                       {"seldom", "selten"},
                       {"never", "nie"},
                       {"sometimes", "manchmal"}};
}

}  // namespace transformer::demo
