// The words of the demo corpus: English, and the one German translation of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformer::demo {

enum class Gender { masculine, feminine, neuter };
enum class Number { singular, plural };
enum class Case { nominative, accusative, dative, genitive };

/// What a noun means, as far as verbs and adjectives care.
enum class Class {
  person,
  animal,
  fruit,
  pastry,
  food,
  mass,
  drink,
  clothing,
  furniture,
  object,
  opening,
  device,
  text,
  building,
  room,
  nature,
  vehicle,
  plant,
  event,
  idea,
  part,
  count_
};
using Classes = std::uint32_t;  ///< one bit for each Class
constexpr Classes bit(Class c) {
  return Classes{1} << static_cast<unsigned>(c);
}
/// Parses "person,animal" and the groups "edible", "thing", "place" and "all".
Classes parse_classes(std::string_view names);

struct Noun {
  std::string en, en_plural;
  std::string de, de_plural;
  Gender gender = Gender::neuter;
  bool weak = false;  ///< n-declension: der Junge, den Jungen
  Class kind = Class::object;
  std::string root;      ///< the English head: "table" in "kitchen table", "teacher" in "female teacher"
  std::string modifier;  ///< the first part of a compound in English, empty in a simple word
  bool mass() const { return kind == Class::mass || kind == Class::drink; }
};

/// What a verb takes beside its subject.
enum class Frame {
  transitive,     ///< an accusative object
  dative,         ///< a dative object: help → helfen
  prepositional,  ///< an object behind a preposition that governs a case: wait for → warten auf + accusative
  ditransitive,   ///< a dative person and an accusative thing
  motion,         ///< a goal
  location,       ///< a place; the subject is a person
  position,       ///< a place; the subject is a thing
  put,            ///< an accusative thing and a goal
  that,           ///< a clause with that → dass
  whether,        ///< a clause with whether → ob
  infinitive,     ///< to open → zu öffnen
  copula,         ///< be → sein
  weather         ///< it rains
};

struct Verb {
  std::string en, en_third, en_past, en_participle;
  std::string en_particle;  ///< "on" in "turn on"; "for" in "wait for"
  std::string infinitive;   ///< without the separable prefix: "rufen"
  std::string prefix;       ///< "an" in anrufen, empty in others
  std::string third;        ///< er "ruft"
  std::string past;         ///< er "rief"
  std::string participle;   ///< "angerufen"
  bool sein = false;        ///< the auxiliary of the perfect is sein
  Frame frame = Frame::transitive;
  Classes objects = 0;
  std::string preposition;  ///< of Frame::prepositional, in German
  Case governs = Case::accusative;
};

enum class Degree { positive, comparative, superlative };

struct Adjective {
  std::string en, de;
  std::string stem;  ///< what the endings go on: "teur" of teuer
  std::string root;  ///< the English positive: "old" of "older"
  Classes classes = 0;
  Degree degree = Degree::positive;
  int value = 0;  ///< the 7 of "seven-year-old"; 0 in the others
};

/// A phrase that is translated as a whole.
struct Phrase {
  std::string en, de;
  /// "0-1 1-0 2?0": which English word translates which German one; "?" is no more than possible. Empty: word
  /// by word where there are as many, else all each other.
  std::string links = {};
};

struct Names {
  std::vector<std::string> first;  ///< Anna: the same word in both languages
  std::vector<std::string> surname_starts, surname_ends;
  std::vector<std::string> town_starts, town_ends;
};

struct Lexicon {
  std::vector<Noun> nouns;  ///< simple words, feminine derivations and compounds
  std::vector<Verb> verbs;
  std::vector<Adjective> adjectives;
  std::vector<Phrase> manner;                                   ///< carefully → vorsichtig
  std::vector<Phrase> frequency;                                ///< often → oft
  std::vector<Phrase> past_times, present_times, future_times;  ///< yesterday, today, tomorrow
  Names names;

  /// The word with this English; for tests and hand-written derivations. Throws std::out_of_range.
  const Noun& noun(std::string_view en) const;
  /// "turn on": base form and particle. The first in the table where frames share a word.
  const Verb& verb(std::string_view en) const;
  const Adjective& adjective(std::string_view en) const;
};

/// The whole lexicon, parsed from the tables once.
const Lexicon& lexicon();

// The tables, one entry a line; the files that hold them say what the columns are.
std::string_view noun_table();
std::string_view household_table();
std::string_view object_table();
std::string_view compound_table();
std::string_view verb_table();
std::string_view adjective_table();
std::string_view manner_table();
std::string_view first_name_table();
std::string_view surname_table();
std::string_view town_table();

}  // namespace transformer::demo
