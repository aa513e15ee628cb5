// German clauses: where the verb's parts, the objects, the adverbials and "nicht" stand.
#include "data/demo_corpus/grammar.h"
#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

// ---- the verb
// ----------------------------------------------------------------------------------------------

std::string present(const Verb& verb, Agreement who) {
  if (verb.infinitive == "sein") {
    return who == Agreement::first_singular ? "bin" : who == Agreement::plural ? "sind" : "ist";
  }
  if (who == Agreement::plural) return verb.infinitive;
  if (who == Agreement::third_singular) return verb.third;
  const std::string& infinitive = verb.infinitive;
  if (!verb.third.ends_with("t")) return verb.third;  // ich weiß
  if (infinitive.ends_with("eln")) return infinitive.substr(0, infinitive.size() - 3) + "le";
  if (infinitive.ends_with("en")) return infinitive.substr(0, infinitive.size() - 1);
  return infinitive.substr(0, infinitive.size() - 1) + "e";
}

std::string past(const Verb& verb, Agreement who) {
  if (who != Agreement::plural) return verb.past;
  return verb.past + (verb.past.ends_with("e") ? "n" : "en");
}

struct ModalForms {
  const char *singular, *plural;
};

ModalForms modal_forms(Modal modal) {
  switch (modal) {
    case Modal::can:
      return {"kann", "können"};
    case Modal::could:
      return {"konnte", "konnten"};
    case Modal::must:
      return {"muss", "müssen"};
    case Modal::had_to:
      return {"musste", "mussten"};
    case Modal::should:
      return {"sollte", "sollten"};
    case Modal::may:
      return {"darf", "dürfen"};
    case Modal::wants:
      return {"will", "wollen"};
    default:
      return {"wollte", "wollten"};
  }
}

struct VerbParts {
  Word finite;
  Words tail;  // what closes the clause in verb-second order: prefix, participle or infinitive
  bool separable_finite = false;
};

// A form of the verb as one word. Without a prefix the stem may say what English needs a particle for.
Word verb_word(const Clause& clause, const std::string& form) {
  return {form, {verb_meaning(clause, kStem), verb_meaning(clause, kParticle, !clause.verb->prefix.empty())}};
}

Words prefix_word(const Clause& clause) {
  return words_saying(clause.verb->prefix, verb_meaning(clause, kParticle));
}

VerbParts verb_parts(const Clause& clause, Agreement who) {
  const Verb& verb = *clause.verb;
  const bool plural = who == Agreement::plural;
  if (clause.modal != Modal::none) {
    const ModalForms forms = modal_forms(clause.modal);
    return {{plural ? forms.plural : forms.singular, {{&clause.modal}}},
            {verb_word(clause, verb.prefix + verb.infinitive)}};
  }
  const std::string have = who == Agreement::first_singular ? "habe" : plural ? "haben" : "hat";
  const std::string be = who == Agreement::first_singular ? "bin" : plural ? "sind" : "ist";
  const auto simple = [&](const std::string& form) {
    const Word finite{form, {verb_meaning(clause, kStem), verb_meaning(clause, kParticle, false)}};
    Words prefix = prefix_word(clause);
    for (Word& word : prefix) word.says.push_back(verb_meaning(clause, kStem, false));
    return VerbParts{finite, prefix, true};
  };
  const auto compound = [&](const std::string& finite, const std::string& form) {
    return VerbParts{{finite, {{&clause.tense}}}, {verb_word(clause, form)}};
  };
  switch (clause.tense) {
    case Tense::present:
      return simple(present(verb, who));
    case Tense::past:
      return simple(past(verb, who));
    case Tense::perfect:
      return compound(verb.sein ? be : have, verb.participle);
    case Tense::pluperfect: {
      const std::string finite = verb.sein ? "war" : "hatte";
      return compound(finite + (!plural ? "" : verb.sein ? "en" : "n"), verb.participle);
    }
    default:
      return compound(who == Agreement::first_singular ? "werde"
                      : plural                         ? "werden"
                                                       : "wird",
                      verb.prefix + verb.infinitive);
  }
}

// ---- the middle field
// ----------------------------------------------------------------------------------------

bool takes_kein(const NounPhrase& phrase) {
  return phrase.noun != nullptr && phrase.possessor == nullptr &&
         (phrase.determiner == Determiner::none || phrase.determiner == Determiner::indefinite);
}

Words place_words(const PlacePhrase& place) {
  const Words preposition = german_phrase({place.en, place.de}, &place);
  if (!place.town.empty()) return {preposition.front(), {place.town, {{&place.town}}}};
  return german_prepositional(preposition.front(), *place.what, place.governs);
}

Words time_words(const Clause& clause) {
  return german_phrase(*clause.time, &clause.time);
}

Word preposition_word(const Clause& clause) {
  return {clause.verb->preposition, {verb_meaning(clause, kPreposition)}};
}

// "kein" says "not", and with it the article, if English has one.
Words accusative_words(const Clause& clause, bool kein) {
  Words words = german_noun_phrase(*clause.accusative, Case::accusative, kein);
  if (kein) words.front().says = {{&clause.negated}, {&clause.accusative->determiner, 0, false}};
  return words;
}

// Objects that are pronouns, time, dative, accusative, "nicht", manner, prepositional phrases, predicate.
Words middle(const Clause& clause) {
  Words words;
  const bool kein = clause.negated && clause.accusative && takes_kein(*clause.accusative);
  for (const auto* object : {&clause.accusative, &clause.dative}) {
    if (*object && (*object)->pronoun) {
      append(words, german_noun_phrase(**object, object == &clause.dative ? Case::dative : Case::accusative));
    }
  }
  if (clause.time != nullptr && clause.front != Front::time) append(words, time_words(clause));
  if (clause.frequency != nullptr) append(words, german_phrase(*clause.frequency, &clause.frequency));
  if (clause.dative && !clause.dative->pronoun)
    append(words, german_noun_phrase(*clause.dative, Case::dative));
  if (clause.accusative && !clause.accusative->pronoun) {
    append(words, accusative_words(clause, kein));
  }
  if (clause.negated && !kein) words.push_back({"nicht", {{&clause.negated}}});
  if (clause.manner != nullptr) append(words, german_phrase(*clause.manner, &clause.manner));
  if (clause.prepositional) {
    append(words,
           german_prepositional(preposition_word(clause), *clause.prepositional, clause.verb->governs));
  }
  const bool gap = clause.gap == Gap::place;
  if (clause.place && clause.front != Front::place && !gap) append(words, place_words(*clause.place));
  if (clause.predicate != nullptr) words.push_back({clause.predicate->de, {{&clause.predicate}}});
  if (clause.than) {
    words.push_back({"als", {{&clause.predicate, 1}}});
    append(words, german_noun_phrase(*clause.than, Case::nominative));
  }
  return words;
}

Words extraposed(const Clause& clause) {
  Words words;
  if (clause.complement != nullptr) {
    words.push_back({","});
    if (clause.verb->frame == Frame::that) words.push_back({"dass", {{&clause.complement}}});
    if (clause.verb->frame == Frame::whether) words.push_back({"ob", {{&clause.complement}}});
    const bool infinitive = clause.verb->frame == Frame::infinitive;
    append(words, german_clause(*clause.complement, infinitive ? Order::infinitive : Order::verb_final));
  }
  if (clause.purpose != nullptr) {
    append(words, {{","}, {"um", {{&clause.purpose}}}});
    append(words, german_clause(*clause.purpose, Order::infinitive));
  }
  return words;
}

Words relative_start(const Clause& clause, const NounPhrase& antecedent) {
  const auto pronoun = [&](Case kase) {
    const std::string form = german_relative_pronoun(antecedent.noun->gender, antecedent.number, kase);
    return Word{form, {{&clause.gap}}, &antecedent.noun, true};
  };
  switch (clause.gap) {
    case Gap::subject:
      return {pronoun(Case::nominative)};
    case Gap::accusative:
      return {pronoun(Case::accusative)};
    case Gap::dative:
      return {pronoun(Case::dative)};
    case Gap::prepositional:
      return {preposition_word(clause), pronoun(clause.verb->governs)};
    case Gap::place:
      return {{clause.place->de, {{&*clause.place}}}, pronoun(clause.place->governs)};
    default:
      return {};
  }
}

}  // namespace

Words german_clause(const Clause& clause, Order order, const NounPhrase* antecedent) {
  const NounPhrase* subject = clause.subject ? &*clause.subject : antecedent;
  Words words;
  if (order == Order::infinitive) {
    words = middle(clause);
    const Verb& verb = *clause.verb;
    const Meaning to = verb_meaning(clause, kTo);
    if (verb.prefix.empty()) {
      append(words, {{"zu", {to}}, verb_word(clause, verb.infinitive)});
    } else {
      words.push_back(verb_word(clause, verb.prefix + "zu" + verb.infinitive));
      words.back().says.push_back(to);
    }
    append(words, extraposed(clause));
    return words;
  }
  const VerbParts verb = verb_parts(clause, agreement(*subject));
  const Words subject_words =
      clause.subject ? german_noun_phrase(*clause.subject, Case::nominative) : Words{};
  if (order == Order::verb_final) {
    if (antecedent != nullptr) words = relative_start(clause, *antecedent);
    append(words, subject_words);
    append(words, middle(clause));
    if (verb.separable_finite) {
      words.push_back(verb_word(clause, clause.verb->prefix + verb.finite.text));
    } else {
      append(words, verb.tail);
      words.push_back(verb.finite);
    }
  } else {
    bool inverted = order == Order::verb_first || clause.question;
    if (!inverted && clause.front != Front::none) {
      words = clause.front == Front::time ? time_words(clause) : place_words(*clause.place);
      inverted = true;
    } else if (!inverted) {
      words = subject_words;
    }
    words.push_back(verb.finite);
    if (inverted) append(words, subject_words);
    append(words, middle(clause));
    append(words, verb.tail);
  }
  append(words, extraposed(clause));
  if (clause.gap == Gap::whose) refer(words, &clause.subject->determiner, &antecedent->noun, true);
  return words;
}

Words german(const Sentence& sentence) {
  const auto conjunction = [&] {
    return german_phrase({sentence.conjunction->en, sentence.conjunction->de}, &sentence.conjunction);
  };
  Words words;
  if (sentence.conjunction == nullptr) {
    words = german_clause(sentence.main, Order::verb_second);
  } else if (sentence.other_first) {
    words = conjunction();
    append(words, german_clause(*sentence.other, Order::verb_final));
    words.push_back({","});
    append(words, german_clause(sentence.main, Order::verb_first));
  } else {
    using Kind = Conjunction::Kind;
    const Kind kind = sentence.conjunction->kind;
    words = german_clause(sentence.main, Order::verb_second);
    if (kind == Kind::subordinating || sentence.conjunction->de == "aber") words.push_back({","});
    append(words, conjunction());
    const Order order = kind == Kind::coordinating ? Order::verb_second
                        : kind == Kind::inverting  ? Order::verb_first
                                                   : Order::verb_final;
    append(words, german_clause(*sentence.other, order));
  }
  words.push_back({sentence.main.question ? "?" : "."});
  return words;
}

}  // namespace transformer::demo
