// The English sentence of a derivation.
#include "data/demo_corpus/grammar.h"
#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

// ---- the verb
// ------------------------------------------------------------------------------------------------

Words particle_words(const Clause& clause) {
  Words words = words_saying(clause.verb->en_particle, verb_meaning(clause, kParticle));
  if (clause.verb->frame == Frame::prepositional && !words.empty())
    words.back().says = {verb_meaning(clause, kPreposition)};
  return words;
}

// A form of the verb without its particle. It also carries the meanings for which German needs more words
// than English: phones → ruft … an.
Word verb_word(const Clause& clause, const std::string& form) {
  Word word{form, {verb_meaning(clause, kStem)}};
  const bool prepositional = clause.verb->frame == Frame::prepositional;
  const bool alone = clause.verb->en_particle.empty();
  if (alone && prepositional) word.says.push_back(verb_meaning(clause, kPreposition, false));
  const bool with_preposition_only = prepositional && split(clause.verb->en_particle).size() == 1;
  if (alone || with_preposition_only) word.says.push_back(verb_meaning(clause, kParticle));
  return word;
}

struct VerbGroup {
  Words auxiliary;  // what "not", adverbs and questions turn on; empty in "buys"
  Words rest;
};

VerbGroup modal_group(const Clause& clause, bool third, bool with_do) {
  const Word base = verb_word(clause, clause.verb->en);
  const Meaning modal{&clause.modal}, helps{&clause.modal, 0, false};
  // "wants" and "to": the second says no more than that an infinitive follows.
  const auto with_to = [&](const char* form) { return Words{{form, {modal}}, {"to", {helps}}, base}; };
  switch (clause.modal) {
    case Modal::can:
      return {{{"can", {modal}}}, {base}};
    case Modal::could:
      return {{{"could", {modal}}}, {base}};
    case Modal::must:
      return {{{"must", {modal}}}, {base}};
    case Modal::should:
      return {{{"should", {modal}}}, {base}};
    case Modal::may:
      return {{{"may", {modal}}}, {base}};
    case Modal::wants:
      if (with_do) return {{{third ? "does" : "do", {helps}}}, with_to("want")};
      return {{}, with_to(third ? "wants" : "want")};
    case Modal::wanted:
      if (with_do) return {{{"did", {helps}}}, with_to("want")};
      return {{}, with_to("wanted")};
    default:
      if (with_do) return {{{"did", {helps}}}, with_to("have")};
      return {{}, with_to("had")};
  }
}

VerbGroup verb_group(const Clause& clause, Agreement who) {
  const Verb& verb = *clause.verb;
  const bool third = who == Agreement::third_singular;
  const bool with_do = clause.negated || clause.question;
  if (clause.modal != Modal::none) return modal_group(clause, third, with_do);
  const auto form = [&](const std::string& text) { return verb_word(clause, text); };
  const Meaning tense{&clause.tense}, helps = verb_meaning(clause, kStem, false);
  switch (clause.tense) {
    case Tense::perfect:
      return {{{third ? "has" : "have", {tense}}}, {form(verb.en_participle)}};
    case Tense::pluperfect:
      return {{{"had", {tense}}}, {form(verb.en_participle)}};
    case Tense::future:
      return {{{"will", {tense}}}, {form(verb.en)}};
    default:
      break;
  }
  const bool past = clause.tense == Tense::past;
  if (verb.frame == Frame::copula) {
    if (past) return {{form(who == Agreement::plural ? "were" : "was")}, {}};
    return {{form(third ? "is" : who == Agreement::plural ? "are" : "am")}, {}};
  }
  if (with_do) return {{{past ? "did" : third ? "does" : "do", {helps}}}, {form(verb.en)}};
  return {{}, {form(past ? verb.en_past : third ? verb.en_third : verb.en)}};
}

Words place_words(const PlacePhrase& place) {
  Words words = english_phrase({place.en, place.de}, &place);
  if (!place.town.empty()) {
    words.push_back({place.town, {{&place.town}}});
  } else {
    append(words, english_noun_phrase(*place.what, true));
  }
  return words;
}

// What follows the verb.
Words complements(const Clause& clause) {
  Words words;
  if (clause.gap != Gap::prepositional) words = particle_words(clause);
  for (const auto* object : {&clause.dative, &clause.accusative, &clause.prepositional}) {
    if (*object) append(words, english_noun_phrase(**object, true));
  }
  if (clause.predicate != nullptr) words.push_back({clause.predicate->en, {{&clause.predicate}}});
  if (clause.than) {
    words.push_back({"than", {{&clause.predicate, 1}}});
    append(words, english_noun_phrase(*clause.than, false));
  }
  if (clause.manner != nullptr) append(words, english_phrase(*clause.manner, &clause.manner));
  if (clause.place && clause.front != Front::place && clause.gap != Gap::place) {
    append(words, place_words(*clause.place));
  }
  if (clause.time != nullptr && clause.front != Front::time)
    append(words, english_phrase(*clause.time, &clause.time));
  if (clause.complement != nullptr) {
    const Frame frame = clause.verb->frame;
    if (frame == Frame::infinitive) {
      words.push_back({"to", {verb_meaning(*clause.complement, kTo)}});
    } else {
      words.push_back({frame == Frame::that ? "that" : "whether", {{&clause.complement}}});
    }
    append(words, english_clause(*clause.complement));
  }
  if (clause.purpose != nullptr) {
    const Meaning um{&clause.purpose};
    append(words, {{"in", {um}}, {"order", {um}}, {"to", {verb_meaning(*clause.purpose, kTo)}}});
    append(words, english_clause(*clause.purpose));
  }
  return words;
}

Words relative_start(const Clause& clause, const NounPhrase& antecedent) {
  const bool person = antecedent.noun->kind == Class::person;
  const auto pronoun = [&](const char* text) { return Word{text, {{&clause.gap}}, &antecedent.noun, true}; };
  switch (clause.gap) {
    case Gap::subject:
      return {pronoun(person ? "who" : "that")};
    case Gap::accusative:
    case Gap::dative:
      return {pronoun(person ? "whom" : "that")};
    case Gap::prepositional: {
      Words words = particle_words(clause);
      words.push_back(pronoun(person ? "whom" : "which"));
      return words;
    }
    case Gap::place:
      return {{clause.place->en, {{&*clause.place}}}, pronoun("which")};
    default:
      return {};
  }
}

}  // namespace

Agreement agreement(const NounPhrase& subject) {
  if (subject.pronoun) {
    if (*subject.pronoun == Pronoun::i) return Agreement::first_singular;
    const bool plural = *subject.pronoun == Pronoun::we || *subject.pronoun == Pronoun::they;
    return plural ? Agreement::plural : Agreement::third_singular;
  }
  const bool plural = subject.noun != nullptr ? subject.number == Number::plural : subject.names.size() > 1;
  return plural ? Agreement::plural : Agreement::third_singular;
}

Words english_clause(const Clause& clause, const NounPhrase* antecedent) {
  Words words;
  if (!clause.subject && antecedent == nullptr) {  // an infinitive
    words.push_back(verb_word(clause, clause.verb->en));
    append(words, complements(clause));
    return words;
  }
  if (antecedent != nullptr) words = relative_start(clause, *antecedent);
  if (clause.front != Front::none) {
    append(words, clause.front == Front::time ? english_phrase(*clause.time, &clause.time)
                                              : place_words(*clause.place));
    words.push_back({","});
  }
  const VerbGroup verb = verb_group(clause, agreement(clause.subject ? *clause.subject : *antecedent));
  if (clause.question) append(words, verb.auxiliary);
  if (clause.subject) append(words, english_noun_phrase(*clause.subject, false));
  if (!clause.question) {
    const Meaning negation{&clause.negated};
    append(words, verb.auxiliary);
    if (clause.negated && words.back().text == "can") {
      words.back().text = "cannot";
      words.back().says.push_back(negation);
    } else if (clause.negated) {
      words.push_back({"not", {negation}});
    }
  }
  if (clause.frequency != nullptr) append(words, english_phrase(*clause.frequency, &clause.frequency));
  append(words, verb.rest);
  append(words, complements(clause));
  if (clause.gap == Gap::whose) refer(words, &clause.subject->determiner, &antecedent->noun, true);
  return words;
}

Words english(const Sentence& sentence) {
  const auto conjunction = [&] {
    return english_phrase({sentence.conjunction->en, sentence.conjunction->de}, &sentence.conjunction);
  };
  Words words;
  if (sentence.conjunction == nullptr) {
    words = english_clause(sentence.main);
  } else if (sentence.other_first) {
    words = conjunction();
    append(words, english_clause(*sentence.other));
    words.push_back({","});
    append(words, english_clause(sentence.main));
  } else {
    words = english_clause(sentence.main);
    if (sentence.conjunction->kind != Conjunction::Kind::subordinating) words.push_back({","});
    append(words, conjunction());
    append(words, english_clause(*sentence.other));
  }
  words.push_back({sentence.main.question ? "?" : "."});
  return words;
}

}  // namespace transformer::demo
