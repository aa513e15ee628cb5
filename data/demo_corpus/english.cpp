// The English sentence of a derivation, with the brackets of its tree.
#include <algorithm>
#include <array>
#include <string_view>

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
    append(words, bracketed("NP", {{place.town, {{&place.town}}}}));
  } else {
    append(words, english_noun_phrase(*place.what, true));
  }
  return bracketed("PP", words);
}

// A time or a manner: "often", "last winter", "in the evening".
Words adverbial(const Phrase& phrase, const void* part) {
  constexpr std::array<std::string_view, 9> prepositions = {"in", "on",     "at",    "with",   "before",
                                                            "by", "during", "after", "without"};
  const Words words = english_phrase(phrase, part);
  if (words.size() == 1) return bracketed("ADVP", words);
  if (std::ranges::find(prepositions, words.front().text) == prepositions.end())
    return bracketed("NP", words);
  Words result = {words.front()};
  append(result, bracketed("NP", {words.begin() + 1, words.end()}));
  return bracketed("PP", result);
}

// "turn on": the particle; "wait for": the preposition with what it governs.
Words particle_and_object(const Clause& clause) {
  Words words;
  if (clause.gap != Gap::prepositional) words = particle_words(clause);
  if (!clause.prepositional) return bracketed("PRT", words);
  const Words object = english_noun_phrase(*clause.prepositional, true);
  if (words.empty()) return object;
  Words phrase = {words.back()};
  append(phrase, object);
  words.pop_back();
  words = bracketed("PRT", words);
  append(words, bracketed("PP", phrase));
  return words;
}

// "to buy the house"
Words to_infinitive(const Clause& clause) {
  Words words = {{"to", {verb_meaning(clause, kTo)}}};
  append(words, english_clause(clause));
  return bracketed("S", bracketed("VP", words));
}

Words comparison(const Clause& clause) {
  Words words = {{clause.predicate->en, {{&clause.predicate}}}};
  if (clause.than) {
    Words than = {{"than", {{&clause.predicate, 1}}}};
    append(than, english_noun_phrase(*clause.than, false));
    append(words, bracketed("PP", than));
  }
  return bracketed("ADJP", words);
}

// What follows the verb.
Words complements(const Clause& clause) {
  Words words;
  if (!clause.prepositional) words = particle_and_object(clause);
  for (const auto* object : {&clause.dative, &clause.accusative})
    if (*object) append(words, english_noun_phrase(**object, true));
  if (clause.prepositional) append(words, particle_and_object(clause));
  if (clause.predicate != nullptr) append(words, comparison(clause));
  if (clause.manner != nullptr) append(words, adverbial(*clause.manner, &clause.manner));
  if (clause.place && clause.front != Front::place && clause.gap != Gap::place) {
    append(words, place_words(*clause.place));
  }
  if (clause.time != nullptr && clause.front != Front::time)
    append(words, adverbial(*clause.time, &clause.time));
  if (clause.complement != nullptr) {
    const Frame frame = clause.verb->frame;
    if (frame == Frame::infinitive) {
      append(words, to_infinitive(*clause.complement));
    } else {
      Words that = {{frame == Frame::that ? "that" : "whether", {{&clause.complement}}}};
      append(that, english_clause(*clause.complement));
      append(words, bracketed("SBAR", that));
    }
  }
  if (clause.purpose != nullptr) {
    const Meaning um{&clause.purpose};
    Words purpose = {{"in", {um}}, {"order", {um}}};
    append(purpose, to_infinitive(*clause.purpose));
    append(words, bracketed("SBAR", purpose));
  }
  return words;
}

Words relative_start(const Clause& clause, const NounPhrase& antecedent) {
  const bool person = antecedent.noun->kind == Class::person;
  const auto pronoun = [&](const char* text) { return Word{text, {{&clause.gap}}, &antecedent.noun, true}; };
  switch (clause.gap) {
    case Gap::subject:
      return bracketed("WHNP", {pronoun(person ? "who" : "that")});
    case Gap::accusative:
    case Gap::dative:
      return bracketed("WHNP", {pronoun(person ? "whom" : "that")});
    case Gap::prepositional: {
      Words words = particle_words(clause);
      words.push_back(pronoun(person ? "whom" : "which"));
      return bracketed("WHPP", words);
    }
    case Gap::place:
      return bracketed("WHPP", {{clause.place->en, {{&*clause.place}}}, pronoun("which")});
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

namespace {

// A clause without its own bracket, and without what a relative clause begins with.
Words clause_words(const Clause& clause, const NounPhrase* antecedent = nullptr) {
  Words words;
  if (clause.front != Front::none) {
    append(words,
           clause.front == Front::time ? adverbial(*clause.time, &clause.time) : place_words(*clause.place));
    words.push_back({","});
  }
  const VerbGroup verb = verb_group(clause, agreement(clause.subject ? *clause.subject : *antecedent));
  if (clause.question) append(words, verb.auxiliary);
  if (clause.subject) append(words, english_noun_phrase(*clause.subject, false));
  Words predicate;
  if (!clause.question) {
    const Meaning negation{&clause.negated};
    append(predicate, verb.auxiliary);
    if (clause.negated && predicate.back().text == "can") {
      predicate.back().text = "cannot";
      predicate.back().says.push_back(negation);
    } else if (clause.negated) {
      predicate.push_back({"not", {negation}});
    }
  }
  if (clause.frequency != nullptr) append(predicate, adverbial(*clause.frequency, &clause.frequency));
  Words main = verb.rest;
  append(main, complements(clause));
  const bool nested = !verb.auxiliary.empty() && !verb.rest.empty() && !clause.question;
  append(predicate, nested ? bracketed("VP", main) : main);
  const bool is_phrase =
      !clause.question || !verb.rest.empty();  // "is the house old": no phrase without "is"
  append(words, is_phrase ? bracketed("VP", predicate) : predicate);
  if (clause.gap == Gap::whose) refer(words, &clause.subject->determiner, &antecedent->noun, true);
  return words;
}

const char* label_of(const Clause& clause) {
  return clause.question ? "SQ" : "S";
}

}  // namespace

Words english_clause(const Clause& clause, const NounPhrase* antecedent) {
  if (!clause.subject && antecedent == nullptr) {  // an infinitive
    Words words = {verb_word(clause, clause.verb->en)};
    append(words, complements(clause));
    return bracketed("VP", words);
  }
  const Words words = bracketed(label_of(clause), clause_words(clause, antecedent));
  if (antecedent == nullptr) return words;
  Words relative = relative_start(clause, *antecedent);
  append(relative, words);
  return bracketed("SBAR", relative);
}

Words english(const Sentence& sentence) {
  const auto conjunction = [&] {
    return english_phrase({sentence.conjunction->en, sentence.conjunction->de}, &sentence.conjunction);
  };
  const auto with_conjunction = [&] {
    Words words = conjunction();
    append(words, english_clause(*sentence.other));
    return sentence.conjunction->kind == Conjunction::Kind::subordinating ? bracketed("SBAR", words) : words;
  };
  Words words;
  if (sentence.conjunction == nullptr) {
    words = clause_words(sentence.main);
  } else if (sentence.other_first) {
    words = with_conjunction();
    words.push_back({","});
    append(words, english_clause(sentence.main));
  } else {
    words = english_clause(sentence.main);
    if (sentence.conjunction->kind != Conjunction::Kind::subordinating) words.push_back({","});
    append(words, with_conjunction());
  }
  words.push_back({sentence.main.question ? "?" : "."});
  return bracketed(sentence.conjunction == nullptr ? label_of(sentence.main) : "S", words);
}

}  // namespace transformer::demo
