// Which words of a derivation meet: what the corpus holds out of training by pairs.
#include "data/demo_corpus/grammar.h"

namespace transformer::demo {
namespace {

class Collector {
 public:
  std::vector<std::string> pairs, names;

  void visit(const Clause& clause, const NounPhrase* antecedent = nullptr) {
    for (const auto* phrase :
         {&clause.subject, &clause.dative, &clause.accusative, &clause.prepositional, &clause.than}) {
      if (*phrase) visit(**phrase);
    }
    if (clause.place) {
      if (clause.place->what) visit(*clause.place->what);
      if (!clause.place->town.empty()) names.push_back(clause.place->town);
    }
    const std::string verb =
        clause.verb->en + (clause.verb->en_particle.empty() ? "" : " ") + clause.verb->en_particle;
    const bool object_gap =
        clause.gap == Gap::accusative || clause.gap == Gap::dative || clause.gap == Gap::prepositional;
    if (object_gap) object(verb, antecedent);
    for (const auto* phrase : {&clause.dative, &clause.accusative, &clause.prepositional}) {
      if (*phrase) object(verb, &**phrase);
    }
    const NounPhrase* subject = clause.gap == Gap::subject ? antecedent
                                : clause.subject           ? &*clause.subject
                                                           : nullptr;
    if (clause.predicate != nullptr && subject != nullptr && subject->noun != nullptr) {
      pairs.push_back("adjective " + clause.predicate->root + "+" + subject->noun->root);
    }
    if (clause.complement != nullptr) visit(*clause.complement);
    if (clause.purpose != nullptr) visit(*clause.purpose);
  }

 private:
  void object(const std::string& verb, const NounPhrase* phrase) {
    if (phrase->noun != nullptr) pairs.push_back("object " + verb + "+" + phrase->noun->root);
  }

  void visit(const NounPhrase& phrase) {
    names.insert(names.end(), phrase.names.begin(), phrase.names.end());
    if (phrase.noun == nullptr) return;
    for (const Adjective* adjective : phrase.adjectives) {
      pairs.push_back("adjective " + adjective->root + "+" + phrase.noun->root);
    }
    if (!phrase.noun->modifier.empty()) {
      pairs.push_back("compound " + phrase.noun->modifier + "+" + phrase.noun->root);
    }
    if (!phrase.town.empty()) names.push_back(phrase.town);
    if (phrase.possessor != nullptr) visit(*phrase.possessor);
    if (phrase.with != nullptr) visit(*phrase.with);
    if (phrase.relative != nullptr) visit(*phrase.relative, &phrase);
  }
};

Collector collect(const Sentence& sentence) {
  Collector collector;
  collector.visit(sentence.main);
  if (sentence.other) collector.visit(*sentence.other);
  return collector;
}

}  // namespace

std::vector<std::string> combinations(const Sentence& sentence) {
  return collect(sentence).pairs;
}

std::vector<std::string> copied_names(const Sentence& sentence) {
  return collect(sentence).names;
}

}  // namespace transformer::demo
