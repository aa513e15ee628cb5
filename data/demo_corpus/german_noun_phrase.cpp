// German noun phrases: articles, adjective endings, case forms.
#include <array>

#include "data/demo_corpus/grammar.h"
#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

// Endings by case (rows: nominative, accusative, dative, genitive), column by gender, plural last.
using Endings = std::array<std::array<const char*, 4>, 4>;
constexpr Endings kArticle = {{{"der", "die", "das", "die"},
                               {"den", "die", "das", "die"},
                               {"dem", "der", "dem", "den"},
                               {"des", "der", "des", "der"}}};
constexpr Endings kPronoun = {{{"der", "die", "das", "die"},
                               {"den", "die", "das", "die"},
                               {"dem", "der", "dem", "denen"},
                               {"dessen", "deren", "dessen", "deren"}}};
constexpr Endings kDies = {
    {{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}, {"es", "er", "es", "er"}}};
constexpr Endings kEin = {
    {{"", "e", "", "e"}, {"en", "e", "", "e"}, {"em", "er", "em", "en"}, {"es", "er", "es", "er"}}};
constexpr Endings kWeak = {
    {{"e", "e", "e", "en"}, {"en", "e", "e", "en"}, {"en", "en", "en", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kMixed = {
    {{"er", "e", "es", "en"}, {"en", "e", "es", "en"}, {"en", "en", "en", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kStrong = {
    {{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}, {"en", "er", "en", "er"}}};

std::string ending(const Endings& table, Gender gender, Number number, Case kase) {
  const std::size_t column = number == Number::plural      ? 3
                             : gender == Gender::masculine ? 0
                             : gender == Gender::feminine  ? 1
                                                           : 2;
  return table.at(static_cast<std::size_t>(kase)).at(column);
}

std::string noun_form(const Noun& noun, Number number, Case kase) {
  if (number == Number::plural) {
    const bool takes_n =
        kase == Case::dative && !noun.de_plural.ends_with("n") && !noun.de_plural.ends_with("s");
    return noun.de_plural + (takes_n ? "n" : "");
  }
  if (noun.weak && kase != Case::nominative) return noun.de_plural;
  if (kase != Case::genitive || noun.gender == Gender::feminine) return noun.de;
  for (const char* end : {"s", "ß", "z", "zt", "sch", "nd", "rd", "st", "Mann"}) {
    if (noun.de.ends_with("is") || noun.de.ends_with("Bus")) return noun.de + "ses";
    if (noun.de.ends_with(end)) return noun.de + "es";
  }
  return noun.de + "s";
}

const char* possessive(Determiner determiner) {
  switch (determiner) {
    case Determiner::my:
      return "mein";
    case Determiner::his:
      return "sein";
    case Determiner::her:
    case Determiner::their:
      return "ihr";
    case Determiner::our:
      return "unser";
    case Determiner::no:
      return "kein";
    default:
      return "ein";
  }
}

struct Opening {
  std::string word;          // the determiner, empty where there is none
  const Endings* adjective;  // the endings that follow it
};

Opening opening(const NounPhrase& phrase, Determiner determiner, Case kase) {
  const Gender gender = phrase.noun->gender;
  const Number number = phrase.number;
  const auto with = [&](const char* stem, const Endings& endings) {
    return stem + ending(endings, gender, number, kase);
  };
  switch (determiner) {
    case Determiner::none:
      return {"", &kStrong};
    case Determiner::definite:
      return {ending(kArticle, gender, number, kase), &kWeak};
    case Determiner::demonstrative:
      return {with("dies", kDies), &kWeak};
    case Determiner::every:
      return {with("jed", kDies), &kWeak};
    case Determiner::both:
      return {with("beid", kDies), &kWeak};
    case Determiner::many:
      return {with("viel", kDies), &kStrong};
    case Determiner::some:
      return {with("einig", kDies), &kStrong};
    case Determiner::numeral:
      return {german_number(phrase.count), &kStrong};
    case Determiner::whose:
      return {ending(kPronoun, phrase.owner_gender, phrase.owner_number, Case::genitive), &kStrong};
    default:
      return {with(possessive(determiner), kEin), &kMixed};
  }
}

std::string pronoun(Pronoun pronoun, Gender it, Case kase) {
  if (pronoun == Pronoun::it && it == Gender::masculine) pronoun = Pronoun::he;
  if (pronoun == Pronoun::it && it == Gender::feminine) pronoun = Pronoun::she;
  constexpr std::array<std::array<const char*, 3>, 6> forms = {{{"ich", "mich", "mir"},
                                                                {"er", "ihn", "ihm"},
                                                                {"sie", "sie", "ihr"},
                                                                {"es", "es", "ihm"},
                                                                {"wir", "uns", "uns"},
                                                                {"sie", "sie", "ihnen"}}};
  return forms.at(static_cast<std::size_t>(pronoun)).at(static_cast<std::size_t>(kase));
}

Words name_words(const NounPhrase& phrase, Case kase) {
  Words words;
  const Meaning title{&phrase.title};
  if (phrase.title == "Mr.") words.push_back({kase == Case::nominative ? "Herr" : "Herrn", {title}});
  if (phrase.title == "Mrs.") words.push_back({"Frau", {title}});
  for (const std::string& name : phrase.names) {
    if (&name != &phrase.names.front()) words.push_back({"und", {{&phrase.names}}});
    words.push_back({name, {{&name}}});
  }
  return words;
}

}  // namespace

std::string german_relative_pronoun(Gender gender, Number number, Case kase) {
  return ending(kPronoun, gender, number, kase);
}

Words german_noun_phrase(const NounPhrase& phrase, Case kase, bool negated) {
  if (phrase.pronoun) return {{pronoun(*phrase.pronoun, phrase.owner_gender, kase), {{&phrase.pronoun}}}};
  if (phrase.noun == nullptr) return name_words(phrase, kase);
  Words words;
  Determiner determiner = phrase.determiner;
  if (negated && (determiner == Determiner::none || determiner == Determiner::indefinite))
    determiner = Determiner::no;
  const bool owned_by_name = phrase.possessor != nullptr && phrase.possessor->noun == nullptr;
  if (phrase.possessor != nullptr) determiner = Determiner::definite;
  Opening open = opening(phrase, determiner, kase);
  if (owned_by_name) {
    // Annas altes Buch, Frau Bergmanns altes Buch, Herrn Bergmanns altes Buch
    words = name_words(*phrase.possessor, Case::genitive);
    words.back().text += "s";
    open.adjective = &kStrong;
  } else if (!open.word.empty()) {
    const bool because_owned = phrase.possessor != nullptr;
    words.push_back(
        {open.word, {{because_owned ? static_cast<const void*>(&phrase.possessor) : &phrase.determiner}}});
  }
  for (const Adjective* const& adjective : phrase.adjectives) {
    const std::string inflection = ending(*open.adjective, phrase.noun->gender, phrase.number, kase);
    words.push_back({adjective->stem + inflection, {{&adjective}}});
  }
  words.push_back({noun_form(*phrase.noun, phrase.number, kase), {{&phrase.noun}}});
  if (phrase.possessor != nullptr && !owned_by_name) {
    append(words, german_noun_phrase(*phrase.possessor, Case::genitive));
  }
  if (!phrase.town.empty()) append(words, {{"aus", {{&phrase.town}}}, {phrase.town, {{&phrase.town, 1}}}});
  if (phrase.with != nullptr)
    append(words, german_prepositional({"mit", {{&phrase.with}}}, *phrase.with, Case::dative));
  if (phrase.relative != nullptr) {
    words.push_back({","});
    append(words, german_clause(*phrase.relative, Order::verb_final, &phrase));
    words.push_back({","});
  }
  return words;
}

Words german_prepositional(const Word& preposition, const NounPhrase& phrase, Case kase) {
  static const std::array<std::array<const char*, 3>, 8> contractions = {{{"in", "dem", "im"},
                                                                          {"in", "das", "ins"},
                                                                          {"an", "dem", "am"},
                                                                          {"an", "das", "ans"},
                                                                          {"zu", "dem", "zum"},
                                                                          {"zu", "der", "zur"},
                                                                          {"von", "dem", "vom"},
                                                                          {"bei", "dem", "beim"}}};
  Words words = german_noun_phrase(phrase, kase);
  if (phrase.noun != nullptr) {
    for (const auto& [first, article, both] : contractions) {
      if (preposition.text == first && words.front().text == article) {
        words.front().text = both;
        words.front().says.insert(words.front().says.end(), preposition.says.begin(), preposition.says.end());
        return words;
      }
    }
  }
  words.insert(words.begin(), preposition);
  return words;
}

}  // namespace transformer::demo
