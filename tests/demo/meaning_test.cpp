// Which words of the two sentences translate each other, and what pronouns refer to.
#include "data/demo_corpus/meaning.h"

#include <map>
#include <set>

#include "data/demo_corpus/corpus.h"
#include "data/demo_corpus/grammar.h"
#include "data/demo_corpus/words.h"
#include "tests/catch.h"

using namespace transformer::demo;

namespace {

// The words that spaces part, without marks, the first letter small.
std::vector<std::string> bare(const std::string& text) {
  std::vector<std::string> words;
  for (std::string word : split(text)) {
    while (is_mark(word.substr(word.size() - 1))) word.pop_back();
    words.push_back(lower_first(word));
  }
  return words;
}

// "coat=Mantel the?den": the links as words.
std::set<std::string> links_of(const Pair& pair) {
  const auto en = bare(pair.en), de = bare(pair.de);
  std::set<std::string> links;
  for (const WordLink& link : pair.links)
    links.insert(en.at(link.en) + (link.sure ? "=" : "?") + de.at(link.de));
  return links;
}

std::set<std::string> set_of(const std::string& words) {
  const auto list = split(words);
  return {list.begin(), list.end()};
}

const Corpus& corpus() {
  static const Corpus instance = make_corpus({.seed = 5, .train = 0, .dev = 1500, .test = 500});
  return instance;
}

Clause clause(const char* subject, const char* verb) {
  Clause result;
  result.subject = NounPhrase{};
  result.subject->names = {subject};
  result.verb = &lexicon().verb(verb);
  return result;
}

NounPhrase the(const char* noun, Determiner determiner = Determiner::definite) {
  NounPhrase phrase;
  phrase.noun = &lexicon().noun(noun);
  phrase.determiner = determiner;
  return phrase;
}

const Phrase& time(const char* en) {
  for (const auto* list : {&lexicon().past_times, &lexicon().present_times, &lexicon().future_times}) {
    for (const Phrase& phrase : *list) {
      if (phrase.en == en) return phrase;
    }
  }
  throw std::out_of_range(en);
}

}  // namespace

TEST_CASE("a separable verb is one verb in three words") {
  Clause phones = clause("Anna", "phone");
  phones.accusative = the("doctor");
  CHECK(links_of(realise({phones})) == set_of("anna=anna phones=ruft phones=an the=den doctor=arzt"));
  Clause turns = clause("Anna", "turn on");
  turns.accusative = the("lamp");
  CHECK(links_of(realise({turns})) ==
        set_of("anna=anna turns=schaltet on=ein turns?ein on?schaltet the=die lamp=lampe"));
  turns.tense = Tense::perfect;
  CHECK(links_of(realise({turns})) ==
        set_of("anna=anna has=hat turned=eingeschaltet on=eingeschaltet the=die lamp=lampe"));
  Clause seeks = clause("Anna", "look for");
  seeks.accusative = the("lamp");
  CHECK(links_of(realise({seeks})) == set_of("anna=anna looks=sucht for?sucht the=die lamp=lampe"));
}

TEST_CASE("prepositions of verbs are linked, and a verb that has none in English may have one in German") {
  Clause takes = clause("Anna", "take part in");
  takes.prepositional = the("party");
  CHECK(links_of(realise({takes})) ==
        set_of("anna=anna takes=nimmt takes?teil part=teil part?nimmt in=an the=der party=party"));
  Clause doubts = clause("Anna", "doubt");
  doubts.prepositional = the("plan");
  CHECK(links_of(realise({doubts})) == set_of("anna=anna doubts=zweifelt doubts?am the=am plan=plan"));
}

TEST_CASE("helpers of one language are possible links, negation is a sure one") {
  Clause has = clause("Anna", "have");
  has.accusative = the("car", Determiner::indefinite);
  has.negated = true;
  CHECK(links_of(realise({has})) == set_of("anna=anna does?hat not=kein have=hat a?kein car=auto"));
  has.modal = Modal::wants;
  CHECK(links_of(realise({has})) ==
        set_of("anna=anna does?will not=kein want=will to?will have=haben a?kein car=auto"));
  has.modal = Modal::can;
  CHECK(links_of(realise({has})) == set_of("anna=anna cannot=kann cannot=kein have=haben a?kein car=auto"));
}

TEST_CASE("times and places are linked by what they say") {
  Clause works = clause("Anna", "work");
  works.tense = Tense::past;
  works.place = PlacePhrase{"in front of", "vor", Case::dative, the("house"), ""};
  works.time = &time("five weeks ago");
  CHECK(links_of(realise({works})) ==
        set_of("anna=anna worked=arbeitete in=vor front=vor of=vor the=dem house=haus "
               "five=fünf weeks=wochen ago=vor"));
  works.place = PlacePhrase{"in", "in", Case::dative, the("garden"), ""};
  works.time = &time("on Monday morning");
  CHECK(links_of(realise({works})) == set_of("anna=anna worked=arbeitete in=im the=im garden=garten on=am "
                                             "monday=montagmorgen morning=montagmorgen"));
}

TEST_CASE("a possessor's article and noun are its own, and what is owned has an article of its own") {
  Clause reads = clause("Anna", "read");
  reads.accusative = the("book");
  reads.accusative->possessor = std::make_shared<NounPhrase>(the("teacher"));
  CHECK(links_of(realise({reads})) ==
        set_of("anna=anna reads=liest the=des teacher's=lehrers teacher's?das book=buch"));
}

TEST_CASE("pronouns refer to their nouns in both languages") {
  Sentence sentence;
  sentence.main = clause("Karl", "buy");
  sentence.main.accusative = the("kitchen table");
  sentence.main.tense = Tense::perfect;
  Clause is = clause("", "be");
  is.subject = NounPhrase{};
  is.subject->pronoun = Pronoun::it;
  is.subject->owner_gender = Gender::masculine;
  is.subject->refers_to_object = true;
  is.predicate = &lexicon().adjective("cheap");
  sentence.other = is;
  const Conjunction because{"because", "weil", Conjunction::Kind::subordinating};
  sentence.conjunction = &because;
  const Pair pair = realise(sentence);
  REQUIRE(pair.en == "Karl has bought the kitchen table because it is cheap.");
  REQUIRE(pair.de == "Karl hat den Küchentisch gekauft, weil er billig ist.");
  REQUIRE(pair.en_references.size() == 1);
  CHECK(pair.en_references[0].pronoun == 7);
  CHECK(pair.en_references[0].noun == 5);
  REQUIRE(pair.de_references.size() == 1);
  CHECK(pair.de_references[0].pronoun == 6);
  CHECK(pair.de_references[0].noun == 3);
  CHECK(pharaoh(pair.de_references, false) == "6-3");
  CHECK(pharaoh(pair.de_references, true).empty());
  CHECK(pharaoh(pair.links) == "0-0 1-1 2-4 3-2 4-3 5-3 6-5 7-6 8-8 9-7");
}

TEST_CASE("links lie within the sentences, rise, and cover every word but those of one language alone") {
  // Words that may lack a sure link: articles of owners, auxiliaries, and words around the day of a date.
  const auto helpers =
      set_of("do does did to a an of for das die der dem den des jahr kein keine keinen am an ein");
  std::size_t words = 0, uncovered = 0;
  for (const auto* split_of : {&corpus().dev, &corpus().test}) {
    for (const Example& example : *split_of) {
      const auto en = bare(example.text.en), de = bare(example.text.de);
      INFO(example.text.en << " / " << example.text.de);
      std::set<std::size_t> en_sure, de_sure;
      const WordLink* last = nullptr;
      for (const WordLink& link : example.text.links) {
        REQUIRE(link.en < en.size());
        REQUIRE(link.de < de.size());
        if (last != nullptr) CHECK(std::pair(last->en, last->de) < std::pair(link.en, link.de));
        last = &link;
        if (!link.sure) continue;
        en_sure.insert(link.en);
        de_sure.insert(link.de);
      }
      for (std::size_t i = 0; i < en.size(); ++i) {
        ++words;
        if (en_sure.contains(i)) continue;
        ++uncovered;
        INFO(en[i]);
        CHECK(helpers.contains(en[i]));
      }
      for (std::size_t i = 0; i < de.size(); ++i) {
        if (de_sure.contains(i)) continue;
        INFO(de[i]);
        CHECK(helpers.contains(de[i]));
      }
    }
  }
  CHECK(words > 20000);
  CHECK(uncovered * 20 < words);
}

TEST_CASE("names are linked to themselves") {
  std::size_t names = 0;
  for (const Example& example : corpus().test) {
    const auto links = links_of(example.text);
    for (const std::string& name : example.names) {
      if (name.find("'") != std::string::npos) continue;
      const bool plain = links.contains(lower_first(name) + "=" + lower_first(name));
      const bool owner = links.contains(lower_first(name) + "'s=" + lower_first(name) + "s");
      INFO(example.text.en << " / " << example.text.de << ": " << name);
      CHECK((plain || owner));
      ++names;
    }
  }
  CHECK(names > 100);
}

TEST_CASE("antecedents are nouns that agree with their pronouns") {
  std::map<std::string, Gender> gender;  // of German noun forms in the singular; plurals below
  std::set<std::string> plurals;
  for (const Noun& noun : lexicon().nouns) {
    for (const char* end : {"", "s", "es", "n", "en"})
      gender.emplace(lower_first(noun.de) + end, noun.gender);
    if (noun.weak) gender.emplace(lower_first(noun.de_plural), noun.gender);
    for (const char* end : {"", "n"}) plurals.insert(lower_first(noun.de_plural) + end);
  }
  std::size_t personal = 0, relative = 0;
  for (const auto* split_of : {&corpus().dev, &corpus().test}) {
    for (const Example& example : *split_of) {
      const auto en = bare(example.text.en), de = bare(example.text.de);
      INFO(example.text.en << " / " << example.text.de);
      REQUIRE(example.text.en_references.size() == example.text.de_references.size());
      for (std::size_t i = 0; i < en.size() && i < example.text.en_references.size(); ++i) {
        const Reference& source = example.text.en_references[i];
        const Reference& target = example.text.de_references[i];
        CHECK(source.noun < source.pronoun);
        CHECK(target.noun < target.pronoun);
        const std::string pronoun = de.at(target.pronoun), noun = de.at(target.noun);
        // The two nouns translate each other, and so do the two pronouns.
        const auto links = links_of(example.text);
        CHECK(links.contains(en.at(source.noun) + "=" + noun));
        CHECK(links.contains(en.at(source.pronoun) + "=" + pronoun));
        const bool is_personal = set_of("er sie es").contains(pronoun);
        ++(is_personal ? personal : relative);
        INFO(noun << " " << pronoun);
        REQUIRE((gender.contains(noun) || plurals.contains(noun)));
        const bool masculine = set_of("er den").contains(pronoun),
                   neuter = set_of("es das").contains(pronoun);
        if (masculine) CHECK((gender.contains(noun) && gender.at(noun) == Gender::masculine));
        if (neuter) CHECK((gender.contains(noun) && gender.at(noun) == Gender::neuter));
        if (pronoun == "denen") CHECK(plurals.contains(noun));
        if (pronoun == "die" || pronoun == "sie" || pronoun == "deren")
          CHECK((plurals.contains(noun) || gender.at(noun) == Gender::feminine));
        CHECK(set_of("it they").contains(en.at(source.pronoun)) == is_personal);
        CHECK(source.is_relative == !is_personal);
        CHECK(target.is_relative == !is_personal);
      }
    }
  }
  CHECK(personal > 60);
  CHECK(relative > 200);
}
