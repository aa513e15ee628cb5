// English noun phrases.
#include <array>

#include "data/demo_corpus/grammar.h"
#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

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

}  // namespace

Words english_noun_phrase(const NounPhrase& phrase, bool object) {
  if (phrase.pronoun) return bracketed("NP", {{pronoun(*phrase.pronoun, object), {{&phrase.pronoun}}}});
  Words words;
  if (phrase.noun == nullptr) {
    if (!phrase.title.empty()) words.push_back({phrase.title, {{&phrase.title}}});
    for (const std::string& name : phrase.names) {
      if (&name != &phrase.names.front()) words.push_back({"and", {{&phrase.names}}});
      words.push_back({name, {{&name}}});
    }
    return bracketed("NP", words);
  }
  Words core;
  for (const Adjective* const& adjective : phrase.adjectives) core.push_back({adjective->en, {{&adjective}}});
  append(core, words_saying(phrase.number == Number::plural ? phrase.noun->en_plural : phrase.noun->en,
                            {&phrase.noun}));
  if (phrase.possessor != nullptr) {
    words = english_noun_phrase(*phrase.possessor, true);
    const NounPhrase& owner = *phrase.possessor;
    const bool plural_s =
        owner.noun != nullptr && owner.number == Number::plural && words.back().text.ends_with("s");
    words.back().text += plural_s ? "'" : "'s";
    words.back().says.push_back({&phrase.possessor, 0, false});  // das Buch des Lehrers: the first article
  } else if (phrase.determiner == Determiner::indefinite) {
    words.push_back({english_article(core.front().text), {{&phrase.determiner}}});
  } else {
    append(words, words_saying(determiner_word(phrase), {&phrase.determiner}));
  }
  append(words, core);
  words = bracketed("NP", words);
  Words after;
  if (!phrase.town.empty())
    append(after, bracketed("PP", {{"from", {{&phrase.town}}},
                                   {phrase.town, {{&phrase.town, 1}}, nullptr, false, "(NP ", 1}}));
  if (phrase.with != nullptr) {
    Words with = {{"with", {{&phrase.with}}}};
    append(with, english_noun_phrase(*phrase.with, true));
    append(after, bracketed("PP", with));
  }
  if (phrase.relative != nullptr) append(after, english_clause(*phrase.relative, &phrase));
  if (after.empty()) return words;
  append(words, after);
  return bracketed("NP", words);
}

}  // namespace transformer::demo
