// Parses the verbs, and forms the regular ones: lachen → lacht, lachte, gelacht.
#include <stdexcept>

#include "data/demo_corpus/lexicon.h"
#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

std::string spaced(std::string text) {
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

// What the endings go on: "lach" of lachen, "sammel" of sammeln.
std::string stem(const std::string& infinitive) {
  return infinitive.substr(0, infinitive.size() - (infinitive.ends_with("en") ? 2 : 1));
}

// An e before the ending: er arbeitet, er öffnet.
bool needs_e(const std::string& stem) {
  if (stem.ends_with("t") || stem.ends_with("d")) return true;
  for (const char* end : {"fn", "chn", "kn", "gn", "tm"}) {
    if (stem.ends_with(end)) return true;
  }
  return false;
}

// No ge- in the participle: besucht, verkauft, repariert.
bool without_ge(const std::string& infinitive) {
  for (const char* start : {"be", "ver", "er", "ent", "zer", "ge"}) {
    if (infinitive.starts_with(start)) return true;
  }
  return infinitive.ends_with("ieren");
}

void parse_german(const std::string& column, Verb& verb) {
  auto words = split(column);
  if (words.back() == "*") {
    verb.sein = true;
    words.pop_back();
  }
  const auto parts = split(words.at(0), '-');
  verb.infinitive = parts.back();
  verb.prefix = parts.size() > 1 ? parts[0] : "";
  if (words.size() == 4) {
    verb.third = words[1];
    verb.past = words[2];
    verb.participle = words[3];
    return;
  }
  if (words.size() != 1) throw std::logic_error("1 or 4 German forms expected: " + column);
  const std::string base = stem(verb.infinitive);
  const std::string ending = needs_e(base) ? "et" : "t";
  verb.third = base + ending;
  verb.past = base + ending + "e";
  verb.participle = verb.prefix + (without_ge(verb.infinitive) ? "" : "ge") + base + ending;
}

Frame parse_frame(char letter) {
  switch (letter) {
    case 'T':
      return Frame::transitive;
    case 'D':
      return Frame::dative;
    case 'P':
      return Frame::prepositional;
    case 'G':
      return Frame::ditransitive;
    case 'M':
      return Frame::motion;
    case 'L':
      return Frame::location;
    case 'X':
      return Frame::position;
    case 'W':
      return Frame::put;
    case 'S':
      return Frame::that;
    case 'Q':
      return Frame::whether;
    case 'Z':
      return Frame::infinitive;
    case 'C':
      return Frame::copula;
    case 'R':
      return Frame::weather;
    default:
      throw std::logic_error(std::string("unknown frame ") + letter);
  }
}

Verb parse_verb(const std::string& line) {
  const auto columns = split(line, '|');
  if (columns.size() != 4) throw std::logic_error("4 columns expected: " + line);
  Verb verb;
  verb.frame = parse_frame(columns[0].at(0));
  auto english = split(columns[1]);
  if (english.back()[0] == '+') {
    verb.en_particle = spaced(english.back().substr(1));
    english.pop_back();
  }
  verb.en = english[0];
  verb.en_third = english_third_person(verb.en);
  verb.en_past = english.size() > 1 ? english[1] : english_past(verb.en);
  verb.en_participle = english.size() > 2 ? english[2] : verb.en_past;
  parse_german(columns[2], verb);
  auto objects = split(columns[3]);
  if (verb.frame == Frame::prepositional) {
    verb.preposition = objects.at(0);
    verb.governs = objects.at(1) == "acc" ? Case::accusative : Case::dative;
  }
  if (!objects.empty()) verb.objects = parse_classes(objects.back());
  return verb;
}

}  // namespace

void add_verbs(Lexicon& lexicon) {
  for (const std::string& line : split(verb_table(), '\n')) {
    if (!line.empty()) lexicon.verbs.push_back(parse_verb(line));
  }
}

}  // namespace transformer::demo
