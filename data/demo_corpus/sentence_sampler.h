// Draws whole derivations at random.
#pragma once

#include "data/demo_corpus/grammar.h"
#include "data/demo_corpus/phrase_sampler.h"
#include "data/demo_corpus/random.h"

namespace transformer::demo {

/// When a clause plays. Clauses of one sentence share it, so that what they say fits together.
enum class Period { present, past, any };

/// The parts that a clause may have, which depends on its place in the sentence. The limits keep every
/// English sentence unambiguous: an adverbial or a relative clause at the end of a clause could belong to
/// either of two clauses.
struct ClauseShape {
  Period period = Period::any;
  bool front = false;      ///< a time or place before the subject
  bool trailing = true;    ///< adverbials after the objects
  bool relatives = false;  ///< relative clauses of subject and object
  bool pronouns = true;    ///< a pronoun as subject
  bool question = false;
};

class SentenceSampler {
 public:
  explicit SentenceSampler(Random& random);

  Sentence sentence();

 private:
  Clause clause(const ClauseShape& shape);
  Clause copula(const ClauseShape& shape);
  Clause action(const ClauseShape& shape);
  Clause thing_at_place(const ClauseShape& shape);
  Clause weather(const ClauseShape& shape);
  Clause with_complement(Frame frame, const ClauseShape& shape);
  Clause infinitive();
  Clause relative(const NounPhrase& antecedent, Period period);
  Sentence joined();
  Sentence about_object();

  const Verb& verb(Frame frame);
  const Verb* verb_for(Frame frame, const Noun& object);
  void fill_objects(Clause& clause);
  void add_relative(std::optional<NounPhrase>& phrase, Period period);
  void choose_tense(Clause& clause, Period period);
  void add_adverbials(Clause& clause, const ClauseShape& shape);
  void maybe_negate(Clause& clause);

  Random& random_;
  PhraseSampler phrases_;
};

}  // namespace transformer::demo
