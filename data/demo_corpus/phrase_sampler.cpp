#include "data/demo_corpus/phrase_sampler.h"

#include <memory>

namespace transformer::demo {
namespace {

constexpr std::size_t kClasses = static_cast<std::size_t>(Class::count_);

bool in(const std::string& word, std::initializer_list<const char*> list) {
  for (const char* item : list) {
    if (word == item) return true;
  }
  return false;
}

bool is_container(const std::string& root) {
  return in(root, {"box", "suitcase", "bag", "drawer", "chest"});
}

// Nobody is a three-year-old judge.
bool suits(const Adjective& adjective, const Noun& noun) {
  if (noun.root == "baby") return adjective.root != "old" && adjective.value == 0;
  if (adjective.value == 0 || noun.kind == Class::event || !adjective.en.ends_with("-year-old")) return true;
  const bool young = in(noun.root, {"child", "boy", "girl", "pupil"});
  if (young) return adjective.value < 18;
  return noun.kind == Class::animal ? adjective.value < 18 : adjective.value >= 18;
}

bool allows_superlative(const NounPhrase& phrase) {
  switch (phrase.determiner) {
    case Determiner::definite:
    case Determiner::my:
    case Determiner::his:
    case Determiner::her:
    case Determiner::our:
    case Determiner::their:
      return true;
    default:
      return false;
  }
}

bool allows_comparative(const NounPhrase& phrase) {
  return allows_superlative(phrase) || phrase.determiner == Determiner::indefinite ||
         phrase.determiner == Determiner::demonstrative;
}

}  // namespace

PhraseSampler::PhraseSampler(Random& random)
    : random_(random), simple_(kClasses), compound_(kClasses), adjectives_(kClasses), numeric_(kClasses) {
  for (const Noun& noun : lexicon().nouns) {
    auto& list = noun.modifier.empty() ? simple_ : compound_;
    list[static_cast<std::size_t>(noun.kind)].push_back(&noun);
  }
  for (std::size_t c = 0; c < kClasses; ++c) {
    for (const Adjective& adjective : lexicon().adjectives) {
      if ((adjective.classes & bit(static_cast<Class>(c))) == 0) continue;
      (adjective.value == 0 ? adjectives_ : numeric_)[c].push_back(&adjective);
    }
  }
}

std::size_t PhraseSampler::weighted(std::initializer_list<unsigned> weights) {
  unsigned total = 0;
  for (const unsigned weight : weights) total += weight;
  auto left = static_cast<unsigned>(random_.below(total));
  std::size_t index = 0;
  for (const unsigned weight : weights) {
    if (left < weight) return index;
    left -= weight;
    ++index;
  }
  return 0;
}

const Noun& PhraseSampler::noun(Classes classes) {
  std::vector<std::size_t> choices;
  for (std::size_t c = 0; c < kClasses; ++c) {
    if ((classes & bit(static_cast<Class>(c))) == 0) continue;
    choices.insert(choices.end(), 16 + simple_[c].size(),
                   c);  // large classes more often, or their words grow rare
  }
  const std::size_t kind = random_.pick(choices);
  const bool compound =
      !compound_[kind].empty() && random_.chance(kind == static_cast<std::size_t>(Class::person) ? 14 : 35);
  const auto& list = compound ? compound_[kind] : simple_[kind];
  const Noun* noun = pick_common(random_, list);
  if (noun->en.starts_with("female ")) noun = pick_common(random_, list);  // fewer of these
  return *noun;
}

const Adjective* PhraseSampler::adjective(const Noun& noun, bool degrees) {
  const auto kind = static_cast<std::size_t>(noun.kind);
  if (adjectives_[kind].empty()) return nullptr;
  const bool numeric = !numeric_[kind].empty() &&
                       random_.chance(noun.kind == Class::text || noun.kind == Class::event ? 22 : 12);
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Adjective* adjective = pick_common(random_, numeric ? numeric_[kind] : adjectives_[kind]);
    if ((degrees || adjective->degree == Degree::positive) && suits(*adjective, noun)) return adjective;
  }
  return nullptr;
}

const Adjective* PhraseSampler::predicate(const Noun& noun) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Adjective* adjective = this->adjective(noun, false);
    if (adjective != nullptr && adjective->value == 0) return adjective;
  }
  return nullptr;
}

void PhraseSampler::determine(NounPhrase& phrase, Extras extras) {
  using D = Determiner;
  constexpr std::array<D, 5> possessives = {D::my, D::his, D::her, D::our, D::their};
  const bool plural = phrase.number == Number::plural;
  std::size_t choice = 0;
  if (phrase.noun->mass()) {
    constexpr std::array<D, 5> kinds = {D::definite, D::none, D::demonstrative, D::my, D::definite};
    choice = weighted({35, 35, 8, 15, 7});
    phrase.determiner = kinds.at(choice);
  } else if (plural) {
    constexpr std::array<D, 9> kinds = {D::definite, D::none, D::demonstrative, D::my,  D::definite,
                                        D::numeral,  D::many, D::some,          D::both};
    choice = weighted({33, 12, 8, 10, 9, 15, 5, 5, 3});
    phrase.determiner = kinds.at(choice);
  } else {
    constexpr std::array<D, 7> kinds = {D::definite, D::indefinite, D::demonstrative, D::my, D::definite,
                                        D::every,    D::no};
    choice = weighted({38, 24, 8, 13, 11, 3, 3});
    phrase.determiner = kinds.at(choice);
  }
  if (phrase.determiner == D::my) phrase.determiner = possessives.at(random_.below(possessives.size()));
  if (phrase.determiner == D::numeral)
    phrase.count = random_.chance(60) ? between(random_, 2, 12) : between(random_, 13, 99);
  if (choice == 4 && extras.possessor) {
    NounPhrase owner = random_.chance(35) ? name() : noun_phrase(bit(Class::person), {false, false});
    const bool definite =
        owner.noun == nullptr || allows_superlative(owner) || owner.determiner == D::demonstrative;
    if (owner.names.size() < 2 && definite) phrase.possessor = std::make_shared<NounPhrase>(std::move(owner));
  }
}

NounPhrase PhraseSampler::noun_phrase(Classes classes, Extras extras) {
  NounPhrase phrase;
  phrase.noun = &noun(classes);
  phrase.number = !phrase.noun->mass() && random_.chance(34) ? Number::plural : Number::singular;
  determine(phrase, extras);
  const std::size_t count = weighted({48, 44, 8});
  for (std::size_t i = 0; i < count; ++i) {
    const Adjective* drawn = adjective(*phrase.noun, count == 1 && phrase.possessor == nullptr);
    if (drawn == nullptr) continue;
    if (drawn->degree == Degree::superlative && !allows_superlative(phrase)) continue;
    if (drawn->degree == Degree::comparative && !allows_comparative(phrase)) continue;
    if (!phrase.adjectives.empty() && phrase.adjectives[0]->root == drawn->root) continue;
    phrase.adjectives.push_back(drawn);
  }
  if (!extras.modifier || phrase.possessor != nullptr || phrase.noun->kind != Class::person ||
      !random_.chance(14)) {
    return phrase;
  }
  if (random_.chance(50)) {
    phrase.town = town();
  } else {
    constexpr std::array<Class, 3> carried = {Class::clothing, Class::animal, Class::object};
    NounPhrase with = noun_phrase(bit(carried.at(random_.below(carried.size()))), {false, false});
    if (with.determiner == Determiner::no || with.determiner == Determiner::every)
      with.determiner = Determiner::definite;
    phrase.with = std::make_shared<NounPhrase>(std::move(with));
  }
  return phrase;
}

NounPhrase PhraseSampler::name() {
  NounPhrase phrase;
  const Names& names = lexicon().names;
  switch (weighted({45, 22, 22, 11})) {
    case 0:
      phrase.names = {random_.pick(names.first)};
      break;
    case 1:
    case 2:
      phrase.title = random_.chance(50) ? "Mr." : "Mrs.";
      phrase.names = {surname()};
      break;
    default: {
      const std::string& first = random_.pick(names.first);
      const std::string& second = random_.pick(names.first);
      phrase.names = {first};
      if (first != second) phrase.names.push_back(second);
    }
  }
  return phrase;
}

NounPhrase PhraseSampler::person(bool pronouns, Extras extras) {
  const std::size_t kind = weighted({pronouns ? 22U : 0U, 28, 50});
  if (kind == 1) return name();
  if (kind == 2) return noun_phrase(bit(Class::person), extras);
  constexpr std::array<Pronoun, 5> all = {Pronoun::i, Pronoun::he, Pronoun::she, Pronoun::we, Pronoun::they};
  NounPhrase phrase;
  phrase.pronoun = all.at(random_.below(all.size()));
  return phrase;
}

std::string PhraseSampler::surname() {
  const Names& names = lexicon().names;
  const std::string start = random_.pick(names.surname_starts);  // one draw a statement fixes the order
  return start + random_.pick(names.surname_ends);
}

std::string PhraseSampler::town() {
  const Names& names = lexicon().names;
  const std::string start = random_.pick(names.town_starts);
  return start + random_.pick(names.town_ends);
}

NounPhrase PhraseSampler::someone_else() {
  constexpr std::array<Pronoun, 3> all = {Pronoun::he, Pronoun::she, Pronoun::they};
  NounPhrase phrase;
  phrase.pronoun = all.at(random_.below(all.size()));
  return phrase;
}

NounPhrase PhraseSampler::place_noun(Classes classes, bool possessor) {
  NounPhrase phrase = noun_phrase(classes, {possessor, false});
  const bool odd = phrase.determiner == Determiner::no || phrase.determiner == Determiner::every;
  if (odd) phrase.determiner = Determiner::definite;
  return phrase;
}

PlacePhrase PhraseSampler::location() {
  if (random_.chance(25)) return {"in", "in", Case::dative, std::nullopt, town()};
  const bool inside = random_.chance(70);
  const Classes where = inside ? parse_classes("place") : bit(Class::building);
  NounPhrase what = place_noun(where, random_.chance(30));
  if (inside) return {"in", "in", Case::dative, std::move(what), ""};
  constexpr std::array<const char*, 3> en = {"behind", "in front of", "next to"};
  constexpr std::array<const char*, 3> de = {"hinter", "vor", "neben"};
  const std::size_t i = random_.below(en.size());
  return {en.at(i), de.at(i), Case::dative, std::move(what), ""};
}

PlacePhrase PhraseSampler::surface(bool goal) {
  const Case kase = goal ? Case::accusative : Case::dative;
  if (random_.chance(25)) {
    NounPhrase what = place_noun(bit(Class::opening), false);
    if (is_container(what.noun->root)) return {goal ? "into" : "in", "in", kase, std::move(what), ""};
  }
  NounPhrase what = place_noun(bit(Class::furniture), true);
  constexpr std::array<const char*, 4> en = {"on", "under", "behind", "next to"};
  constexpr std::array<const char*, 4> de = {"auf", "unter", "hinter", "neben"};
  const std::size_t i = weighted({50, 20, 12, 18});
  const std::string english = goal && i == 0 ? "onto" : en.at(i);
  return {english, de.at(i), kase, std::move(what), ""};
}

PlacePhrase PhraseSampler::goal() {
  const std::size_t kind = weighted({30, 35, 35});
  if (kind == 0) return {"to", "nach", Case::dative, std::nullopt, town()};
  if (kind == 1) return {"to", "zu", Case::dative, place_noun(bit(Class::building), true), ""};
  return {"into", "in", Case::accusative, place_noun(parse_classes("place"), true), ""};
}

}  // namespace transformer::demo
