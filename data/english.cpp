// The English sentence of a derivation.
#include <array>

#include "data/grammar.h"
#include "data/words.h"

namespace transformer::demo {
namespace {

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

void append_text(Words& words, const std::string& text) {
  append(words, split(text));
}

// ---- noun phrases
// --------------------------------------------------------------------------------------------

std::string determiner_word(const NounPhrase& phrase) {
  const bool plural = phrase.number == Number::plural;
  switch (phrase.determiner) {
    case Determiner::definite:
      return "the";
    case Determiner::demonstrative:
      return plural ? "these" : "this";
    case Determiner::every:
      return "every";
    case Determiner::no:
      return "no";
    case Determiner::my:
      return "my";
    case Determiner::his:
      return "his";
    case Determiner::her:
      return "her";
    case Determiner::our:
      return "our";
    case Determiner::their:
      return "their";
    case Determiner::numeral:
      return english_number(phrase.count);
    case Determiner::many:
      return "many";
    case Determiner::some:
      return "some";
    case Determiner::both:
      return "both";
    case Determiner::whose:
      return "whose";
    default:
      return "";
  }
}

std::string pronoun(Pronoun pronoun, bool object) {
  constexpr std::array<std::array<const char*, 2>, 6> forms = {
      {{"I", "me"}, {"he", "him"}, {"she", "her"}, {"it", "it"}, {"we", "us"}, {"they", "them"}}};
  return forms.at(static_cast<std::size_t>(pronoun)).at(object ? 1 : 0);
}

// ---- the verb
// ------------------------------------------------------------------------------------------------

struct VerbGroup {
  std::string auxiliary;  // what "not", adverbs and questions turn on; empty in "buys"
  std::string rest;
};

VerbGroup modal_group(const Clause& clause, const std::string& base, bool third, bool with_do) {
  switch (clause.modal) {
    case Modal::can:
      return {"can", base};
    case Modal::could:
      return {"could", base};
    case Modal::must:
      return {"must", base};
    case Modal::should:
      return {"should", base};
    case Modal::may:
      return {"may", base};
    case Modal::wants:
      if (with_do) return {third ? "does" : "do", "want to " + base};
      return {"", (third ? "wants to " : "want to ") + base};
    case Modal::wanted:
      if (with_do) return {"did", "want to " + base};
      return {"", "wanted to " + base};
    default:
      if (with_do) return {"did", "have to " + base};
      return {"", "had to " + base};
  }
}

VerbGroup verb_group(const Clause& clause, Agreement who) {
  const Verb& verb = *clause.verb;
  const bool third = who == Agreement::third_singular;
  const bool with_do = clause.negated || clause.question;
  if (clause.modal != Modal::none) return modal_group(clause, verb.en, third, with_do);
  switch (clause.tense) {
    case Tense::perfect:
      return {third ? "has" : "have", verb.en_participle};
    case Tense::pluperfect:
      return {"had", verb.en_participle};
    case Tense::future:
      return {"will", verb.en};
    default:
      break;
  }
  const bool past = clause.tense == Tense::past;
  if (verb.frame == Frame::copula) {
    if (past) return {who == Agreement::plural ? "were" : "was", ""};
    return {third ? "is" : who == Agreement::plural ? "are" : "am", ""};
  }
  if (with_do) return {past ? "did" : third ? "does" : "do", verb.en};
  return {"", past ? verb.en_past : third ? verb.en_third : verb.en};
}

Words place_words(const PlacePhrase& place) {
  Words words = split(place.en);
  if (!place.town.empty()) {
    words.push_back(place.town);
  } else {
    append(words, english_noun_phrase(*place.what, true));
  }
  return words;
}

// What follows the verb.
Words complements(const Clause& clause) {
  Words words;
  if (clause.gap != Gap::prepositional) append_text(words, clause.verb->en_particle);
  for (const auto* object : {&clause.dative, &clause.accusative, &clause.prepositional}) {
    if (*object) append(words, english_noun_phrase(**object, true));
  }
  if (clause.predicate != nullptr) words.push_back(clause.predicate->en);
  if (clause.than) {
    words.push_back("than");
    append(words, english_noun_phrase(*clause.than, false));
  }
  if (clause.manner != nullptr) words.push_back(clause.manner->en);
  if (clause.place && clause.front != Front::place && clause.gap != Gap::place) {
    append(words, place_words(*clause.place));
  }
  if (clause.time != nullptr && clause.front != Front::time) append_text(words, clause.time->en);
  if (clause.complement != nullptr) {
    const Frame frame = clause.verb->frame;
    words.push_back(frame == Frame::that ? "that" : frame == Frame::whether ? "whether" : "to");
    append(words, english_clause(*clause.complement));
  }
  if (clause.purpose != nullptr) {
    append_text(words, "in order to");
    append(words, english_clause(*clause.purpose));
  }
  return words;
}

Words relative_start(const Clause& clause, const NounPhrase& antecedent) {
  const bool person = antecedent.noun->kind == Class::person;
  switch (clause.gap) {
    case Gap::subject:
      return {person ? "who" : "that"};
    case Gap::accusative:
    case Gap::dative:
      return {person ? "whom" : "that"};
    case Gap::prepositional: {
      Words words = split(clause.verb->en_particle);
      words.push_back(person ? "whom" : "which");
      return words;
    }
    case Gap::place:
      return {clause.place->en, "which"};
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

Words english_noun_phrase(const NounPhrase& phrase, bool object) {
  if (phrase.pronoun) return {pronoun(*phrase.pronoun, object)};
  Words words;
  if (phrase.noun == nullptr) {
    if (!phrase.title.empty()) words.push_back(phrase.title);
    for (const std::string& name : phrase.names) {
      if (&name != &phrase.names.front()) words.push_back("and");
      words.push_back(name);
    }
    return words;
  }
  Words core;
  for (const Adjective* adjective : phrase.adjectives) core.push_back(adjective->en);
  append_text(core, phrase.number == Number::plural ? phrase.noun->en_plural : phrase.noun->en);
  if (phrase.possessor != nullptr) {
    words = english_noun_phrase(*phrase.possessor, true);
    const NounPhrase& owner = *phrase.possessor;
    const bool plural_s =
        owner.noun != nullptr && owner.number == Number::plural && words.back().ends_with("s");
    words.back() += plural_s ? "'" : "'s";
  } else if (phrase.determiner == Determiner::indefinite) {
    words.push_back(english_article(core.front()));
  } else {
    append_text(words, determiner_word(phrase));
  }
  append(words, core);
  if (!phrase.town.empty()) append(words, {"from", phrase.town});
  if (phrase.with != nullptr) {
    words.push_back("with");
    append(words, english_noun_phrase(*phrase.with, true));
  }
  if (phrase.relative != nullptr) append(words, english_clause(*phrase.relative, &phrase));
  return words;
}

Words english_clause(const Clause& clause, const NounPhrase* antecedent) {
  Words words;
  if (!clause.subject && antecedent == nullptr) {  // an infinitive
    words.push_back(clause.verb->en);
    append(words, complements(clause));
    return words;
  }
  if (antecedent != nullptr) words = relative_start(clause, *antecedent);
  if (clause.front != Front::none) {
    append(words, clause.front == Front::time ? split(clause.time->en) : place_words(*clause.place));
    words.push_back(",");
  }
  const VerbGroup verb = verb_group(clause, agreement(clause.subject ? *clause.subject : *antecedent));
  if (clause.question) words.push_back(verb.auxiliary);
  if (clause.subject) append(words, english_noun_phrase(*clause.subject, false));
  if (!clause.question) {
    if (clause.negated && verb.auxiliary == "can") {
      words.push_back("cannot");
    } else {
      append_text(words, verb.auxiliary);
      if (clause.negated) words.push_back("not");
    }
  }
  if (clause.frequency != nullptr) words.push_back(clause.frequency->en);
  append_text(words, verb.rest);
  append(words, complements(clause));
  return words;
}

std::string english(const Sentence& sentence) {
  Words words;
  if (sentence.conjunction == nullptr) {
    words = english_clause(sentence.main);
  } else if (sentence.other_first) {
    words = split(sentence.conjunction->en);
    append(words, english_clause(*sentence.other));
    words.push_back(",");
    append(words, english_clause(sentence.main));
  } else {
    words = english_clause(sentence.main);
    if (sentence.conjunction->kind != Conjunction::Kind::subordinating) words.push_back(",");
    append_text(words, sentence.conjunction->en);
    append(words, english_clause(*sentence.other));
  }
  words.push_back(sentence.main.question ? "?" : ".");
  return join_sentence(words);
}

Pair realise(const Sentence& sentence) {
  return {english(sentence), german(sentence)};
}

}  // namespace transformer::demo
