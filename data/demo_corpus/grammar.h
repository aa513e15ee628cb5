// Derivations of the synchronous grammar: one tree, from which both the English and the German sentence
// follow.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/demo_corpus/lexicon.h"
#include "data/demo_corpus/meaning.h"

namespace transformer::demo {

struct Clause;

enum class Determiner {
  none,
  definite,
  indefinite,
  demonstrative,
  every,
  no,
  my,
  his,
  her,
  our,
  their,
  numeral,
  many,
  some,
  both,
  whose
};

enum class Pronoun { i, he, she, it, we, they };

/// A noun with all that belongs to it, a name, or a personal pronoun.
struct NounPhrase {
  const Noun* noun = nullptr;  ///< absent: a name or a pronoun
  Number number = Number::singular;
  Determiner determiner = Determiner::definite;
  int count = 0;  ///< of Determiner::numeral
  std::vector<const Adjective*> adjectives;
  std::shared_ptr<const NounPhrase> possessor;  ///< the teacher's → … des Lehrers; in place of the determiner
  std::string town;                             ///< from Lindenfeld → aus Lindenfeld
  std::shared_ptr<const NounPhrase> with;       ///< with the red hat → mit dem roten Hut
  std::shared_ptr<const Clause> relative;
  std::string title;               ///< Mr. or Mrs.
  std::vector<std::string> names;  ///< one name, or two that are joined by and
  std::optional<Pronoun> pronoun;
  Gender owner_gender = Gender::neuter;    ///< of what whose or it refers to: dessen or deren; er, sie or es
  Number owner_number = Number::singular;  ///< of what whose refers to
  bool refers_to_object = false;  ///< a pronoun that stands for the object of the sentence's main clause
};

/// A place or a goal: into the kitchen → in die Küche.
struct PlacePhrase {
  std::string en, de;  ///< the prepositions
  Case governs = Case::dative;
  std::optional<NounPhrase> what;  ///< absent in a town and in a gap
  std::string town;
};

enum class Tense { present, past, perfect, pluperfect, future };
enum class Modal { none, can, could, must, had_to, should, may, wants, wanted };
enum class Front { none, time, place };
/// The part that the relative pronoun replaces in a relative clause. A whose-clause lacks no part.
enum class Gap { none, subject, accusative, dative, prepositional, place, whose };

struct Clause {
  std::optional<NounPhrase> subject;  ///< absent in an infinitive and in Gap::subject
  const Verb* verb = nullptr;
  Tense tense = Tense::present;
  Modal modal = Modal::none;  ///< where set, decides the tense as well
  bool negated = false;
  bool question = false;
  std::optional<NounPhrase> dative, accusative, prepositional;
  const Adjective* predicate = nullptr;  ///< is old; with a comparative also `than`
  std::optional<NounPhrase> than;
  const Phrase* frequency = nullptr;
  const Phrase* manner = nullptr;
  const Phrase* time = nullptr;
  std::optional<PlacePhrase> place;
  Front front = Front::none;
  std::shared_ptr<const Clause> complement;  ///< of verbs with that, whether and to
  std::shared_ptr<const Clause> purpose;     ///< in order to … → um … zu
  Gap gap = Gap::none;
};

struct Conjunction {
  enum class Kind {
    coordinating,  ///< and → und: main clause order
    inverting,     ///< and therefore → und deshalb: verb first
    subordinating  ///< because → weil: verb last
  };
  std::string en, de;
  Kind kind;
};

struct Sentence {
  Clause main;
  const Conjunction* conjunction = nullptr;
  std::optional<Clause> other = std::nullopt;  ///< what the conjunction joins to the main clause
  bool other_first = false;                    ///< a subordinate clause in front
};

/// The two sentences of a derivation.
struct Pair {
  std::string en, de;
  std::string en_tree;  ///< the English sentence in brackets (tree_of)
  std::vector<WordLink> links;
  std::vector<Reference> en_references, de_references;  ///< personal and relative pronouns
};
Pair realise(const Sentence& sentence);
Words english(const Sentence& sentence);
Words german(const Sentence& sentence);

/// German noun phrase in a case. With `negated`, ein and the missing article become kein.
Words german_noun_phrase(const NounPhrase& phrase, Case kase, bool negated = false);
/// Preposition and noun phrase, with the contractions im, ins, am, ans, zum, zur, vom.
Words german_prepositional(const Word& preposition, const NounPhrase& phrase, Case kase);
std::string german_relative_pronoun(Gender gender, Number number, Case kase);
Words english_noun_phrase(const NounPhrase& phrase, bool object);

/// What the words of a verb stand for.
enum VerbWord : std::size_t {
  kStem,         ///< buys, kauft
  kParticle,     ///< turn on, schaltet ein
  kPreposition,  ///< waits for, wartet auf
  kTo            ///< of an infinitive: to, zu
};
inline Meaning verb_meaning(const Clause& clause, VerbWord word, bool sure = true) {
  return {&clause.verb, word, sure};
}

enum class Order { verb_second, verb_first, verb_final, infinitive };
Words german_clause(const Clause& clause, Order order, const NounPhrase* antecedent = nullptr);
Words english_clause(const Clause& clause, const NounPhrase* antecedent = nullptr);

/// Person and number of a subject, as far as verbs distinguish them: I, he/she/it, or the plural.
enum class Agreement { first_singular, third_singular, plural };
Agreement agreement(const NounPhrase& subject);

/// The sentence's word combinations that the corpus may hold out of training, by their English head words:
/// "adjective old+table" (attribute or predicate), "object buy+table", "compound kitchen+table".
std::vector<std::string> combinations(const Sentence& sentence);
/// All copied words: first names, surnames and towns.
std::vector<std::string> copied_names(const Sentence& sentence);

}  // namespace transformer::demo
