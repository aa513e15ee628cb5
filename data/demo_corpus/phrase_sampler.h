// Draws noun phrases and places at random.
#pragma once

#include <array>
#include <vector>

#include "data/demo_corpus/grammar.h"
#include "data/demo_corpus/random.h"

namespace transformer::demo {

/// Parts of a noun phrase that may be drawn besides its determiner and adjectives.
struct Extras {
  bool possessor = true;
  bool modifier = true;  ///< from a town, or with something
};

/// Draws from the lexicon. All randomness comes from `random`, which must outlive the sampler.
class PhraseSampler {
 public:
  explicit PhraseSampler(Random& random);

  /// A phrase around a noun of one of the classes.
  NounPhrase noun_phrase(Classes classes, Extras extras = {});
  /// A person: a pronoun, a name or a noun.
  NounPhrase person(bool pronouns, Extras extras = {});
  NounPhrase name();
  /// him, her or them: a pronoun that fits every subject.
  NounPhrase someone_else();
  const Noun& noun(Classes classes);
  /// An adjective that suits the noun, or nothing where there is none.
  const Adjective* adjective(const Noun& noun, bool degrees);
  /// One in the positive degree for a predicate.
  const Adjective* predicate(const Noun& noun);
  /// The place of an event: in the garden, in Lindenfeld, behind the church.
  PlacePhrase location();
  /// Where a thing lies or is put.
  PlacePhrase surface(bool goal);
  /// Where a person goes.
  PlacePhrase goal();
  std::string town();
  std::string surname();

  /// An index, drawn by the weights.
  std::size_t weighted(std::initializer_list<unsigned> weights);

 private:
  void determine(NounPhrase& phrase, Extras extras);
  /// A noun phrase behind a preposition: without "no" and "every".
  NounPhrase place_noun(Classes classes, bool possessor);

  Random& random_;
  std::vector<std::vector<const Noun*>> simple_, compound_;  // by class
  std::vector<std::vector<const Adjective*>> adjectives_;    // by class, without numbers
  std::vector<std::vector<const Adjective*>> numeric_;
};

}  // namespace transformer::demo
