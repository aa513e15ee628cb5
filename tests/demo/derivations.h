// Derivations written by hand.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

#include "data/demo_corpus/grammar.h"

namespace transformer::demo::test {

inline const Lexicon& words() {
  return lexicon();
}

inline NounPhrase np(Determiner determiner, const char* noun,
                     std::initializer_list<const char*> adjectives = {}, Number number = Number::singular) {
  NounPhrase phrase;
  phrase.noun = &words().noun(noun);
  phrase.determiner = determiner;
  phrase.number = number;
  for (const char* adjective : adjectives) phrase.adjectives.push_back(&words().adjective(adjective));
  return phrase;
}

inline NounPhrase the(const char* noun, std::initializer_list<const char*> adjectives = {}) {
  return np(Determiner::definite, noun, adjectives);
}

inline NounPhrase name(const char* first) {
  NounPhrase phrase;
  phrase.names = {first};
  return phrase;
}

inline NounPhrase mister(const char* surname) {
  NounPhrase phrase = name(surname);
  phrase.title = "Mr.";
  return phrase;
}

inline NounPhrase pronoun(Pronoun which) {
  NounPhrase phrase;
  phrase.pronoun = which;
  return phrase;
}

inline Clause does(NounPhrase subject, const char* verb, Tense tense = Tense::present) {
  Clause clause;
  clause.subject = std::move(subject);
  clause.verb = &words().verb(verb);
  clause.tense = tense;
  return clause;
}

inline Clause does(NounPhrase subject, const char* verb, NounPhrase object, Tense tense = Tense::present) {
  Clause clause = does(std::move(subject), verb, tense);
  auto& slot = clause.verb->frame == Frame::dative          ? clause.dative
               : clause.verb->frame == Frame::prepositional ? clause.prepositional
                                                            : clause.accusative;
  slot = std::move(object);
  return clause;
}

inline std::shared_ptr<Clause> share(Clause clause) {
  return std::make_shared<Clause>(std::move(clause));
}

}  // namespace transformer::demo::test
