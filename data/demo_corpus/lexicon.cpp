// Parses the tables. A slip in a table is a programmer's error: it throws std::logic_error.
#include "data/demo_corpus/lexicon.h"

#include <stdexcept>

#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

const std::vector<std::string>& class_names() {
  static const std::vector<std::string> names = split(
      "person animal fruit pastry food mass drink clothing furniture object opening device text building "
      "room nature vehicle plant event idea part");
  return names;
}

std::string spaced(std::string text) {
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

std::logic_error slip(std::string_view what, std::string_view line) {
  return std::logic_error(std::string(what) + " in the lexicon's line: " + std::string(line));
}

Noun parse_noun(const std::string& line, Class kind) {
  const auto columns = split(line);
  if (columns.size() < 4) throw slip("too few columns", line);
  Noun noun;
  const auto english = split(columns[0], '/');
  noun.en = spaced(english[0]);
  noun.en_plural = english.size() > 1 ? spaced(english[1]) : english_plural(noun.en);
  noun.de = columns[1];
  noun.de_plural = columns[3];
  noun.gender = columns[2] == "m" ? Gender::masculine : columns[2] == "f" ? Gender::feminine : Gender::neuter;
  noun.weak = columns.size() > 4 && columns[4] == "~";
  noun.kind = kind;
  noun.root = noun.en;
  return noun;
}

// Arzt → Ärztin; the stem of Kunde loses its e, and that of an umlauted one is given.
Noun feminine(const Noun& noun, const std::string& given) {
  Noun result = noun;
  result.en = "female " + noun.en;
  result.en_plural = "female " + noun.en_plural;
  result.de = !given.empty() ? given : noun.de + "in";
  result.de_plural = result.de + "nen";
  result.gender = Gender::feminine;
  result.weak = false;
  return result;
}

void add_nouns(std::string_view table, std::vector<Noun>& nouns) {
  bool role = false;
  Class kind = Class::person;
  for (const std::string& line : split(table, '\n')) {
    if (line.empty()) continue;
    if (line.back() == ':') {
      const std::string name = line.substr(0, line.size() - 1);
      role = name == "role";
      if (!role) {
        std::size_t index = 0;
        while (class_names().at(index) != name) ++index;
        kind = static_cast<Class>(index);
      }
      continue;
    }
    nouns.push_back(parse_noun(line, role ? Class::person : kind));
    if (!role) continue;
    const std::string last = split(line).back();
    const Noun noun = nouns.back();  // a copy, since the vector may grow
    nouns.push_back(feminine(noun, last.ends_with("in") && last != noun.de_plural ? last : ""));
  }
}

void add_compounds(Lexicon& lexicon) {
  std::vector<std::string> modifiers;
  bool heads = false;
  const auto simple = lexicon.nouns;
  for (const std::string& line : split(compound_table(), '\n')) {
    if (line.empty()) {
      modifiers.clear();
      heads = false;
    }
    for (const std::string& word : split(line)) {
      if (word == ":") {
        heads = true;
      } else if (!heads) {
        modifiers.push_back(word);
      } else {
        for (const Noun& head : simple) {
          if (head.root != word || !head.modifier.empty()) continue;
          for (const std::string& modifier : modifiers) {
            const auto parts = split(modifier, '=');
            Noun noun = head;
            const bool female = head.en.starts_with("female ");
            noun.en = (female ? "female " : "") + parts[0] + " " + head.root;
            noun.en_plural = (female ? "female " : "") + parts[0] + " " +
                             head.en_plural.substr(female ? std::string("female ").size() : 0);
            noun.de = parts[1] + lower_first(head.de);
            noun.de_plural = parts[1] + lower_first(head.de_plural);
            noun.modifier = parts[0];
            lexicon.nouns.push_back(noun);
          }
        }
      }
    }
  }
}

void add_adjectives(Lexicon& lexicon) {
  for (const std::string& line : split(adjective_table(), '\n')) {
    if (line.empty()) continue;
    const auto columns = split(line);
    if (columns.size() != 3 && columns.size() != 7) throw slip("3 or 7 columns expected", line);
    Adjective adjective;
    const auto german = split(columns[1], '/');
    adjective.en = adjective.root = columns[0];
    adjective.de = german[0];
    adjective.stem = german.back();
    adjective.classes = parse_classes(columns[2]);
    lexicon.adjectives.push_back(adjective);
    if (columns.size() == 3 || columns[3] == "-") continue;
    for (const Degree degree : {Degree::comparative, Degree::superlative}) {
      const std::size_t column = degree == Degree::comparative ? 3 : 4;
      adjective.en = columns[column];
      adjective.de = adjective.stem = columns[column + 2];
      adjective.degree = degree;
      lexicon.adjectives.push_back(adjective);
    }
  }
  const auto numeric = [&](int n, const std::string& en, const std::string& de, const char* classes) {
    Adjective adjective;
    adjective.en = adjective.root = english_number(n) + en;
    adjective.de = adjective.stem = german_number(n) + de;
    adjective.classes = parse_classes(classes);
    adjective.value = n;
    lexicon.adjectives.push_back(adjective);
  };
  for (int n = 3; n < 100; ++n) numeric(n, "-year-old", "jährig", "person,animal,building,plant");
  for (int n = 2; n < 41; ++n) numeric(n, "-page", "seitig", "text");
  for (int n = 2; n < 15; ++n) numeric(n, "-day", "tägig", "event");
  for (int n = 2; n < 13; ++n) {
    numeric(n, "-storey", "stöckig", "building");
    numeric(n, "-hour", "stündig", "event");
    numeric(n, "-week", "wöchig", "event");
  }
}

void add_names(std::string_view table, std::vector<std::string>& starts, std::vector<std::string>& ends) {
  const auto halves = split(table, ':');
  starts = split(halves.at(0));
  ends = split(halves.at(1));
}

template <typename T>
const T& find(const std::vector<T>& items, std::string_view en, std::string (*key)(const T&)) {
  for (const T& item : items) {
    if (key(item) == en) return item;
  }
  throw std::out_of_range("no such word: " + std::string(en));
}

}  // namespace

void add_verbs(Lexicon& lexicon);  // verb_forms.cpp
void add_times(Lexicon& lexicon);  // times.cpp

Classes parse_classes(std::string_view names) {
  Classes classes = 0;
  for (const std::string& name : split(names, ',')) {
    if (name == "edible") {
      classes |= parse_classes("fruit,pastry,food,mass");
    } else if (name == "thing") {
      classes |= parse_classes("clothing,furniture,object,opening,device,vehicle");
    } else if (name == "place") {
      classes |= parse_classes("building,room,nature");
    } else {
      std::size_t index = 0;
      while (index < class_names().size() && class_names()[index] != name) ++index;
      if (index == class_names().size()) throw slip("unknown class", names);
      classes |= bit(static_cast<Class>(index));
    }
  }
  return classes;
}

const Noun& Lexicon::noun(std::string_view en) const {
  return find<Noun>(nouns, en, [](const Noun& noun) { return noun.en; });
}

const Verb& Lexicon::verb(std::string_view en) const {
  return find<Verb>(verbs, en,
                    [](const Verb& v) { return v.en_particle.empty() ? v.en : v.en + " " + v.en_particle; });
}

const Adjective& Lexicon::adjective(std::string_view en) const {
  return find<Adjective>(adjectives, en, [](const Adjective& adjective) { return adjective.en; });
}

const Lexicon& lexicon() {
  static const Lexicon instance = [] {
    Lexicon result;
    add_nouns(noun_table(), result.nouns);
    add_nouns(household_table(), result.nouns);
    add_nouns(object_table(), result.nouns);
    add_compounds(result);
    add_verbs(result);
    add_adjectives(result);
    add_times(result);
    result.names.first = split(first_name_table());
    add_names(surname_table(), result.names.surname_starts, result.names.surname_ends);
    add_names(town_table(), result.names.town_starts, result.names.town_ends);
    return result;
  }();
  return instance;
}

}  // namespace transformer::demo
