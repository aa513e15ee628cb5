#include "data/demo_corpus/lexicon.h"

#include <map>
#include <set>

#include "data/demo_corpus/words.h"
#include "tests/catch.h"

using namespace transformer::demo;

TEST_CASE("every English noun form has one German translation") {
  std::map<std::string, std::string> german;
  for (const Noun& noun : lexicon().nouns) {
    INFO(noun.en);
    CHECK(german.emplace(noun.en, noun.de).second);
    if (!noun.mass()) CHECK(german.emplace(noun.en_plural, noun.de_plural).second);
  }
}

TEST_CASE("every English adjective has one German translation") {
  std::set<std::string> seen;
  for (const Adjective& adjective : lexicon().adjectives) {
    INFO(adjective.en);
    CHECK(seen.insert(adjective.en).second);
    CHECK(adjective.classes != 0);
    CHECK_FALSE(adjective.stem.ends_with("e"));
  }
}

TEST_CASE("every verb means one thing in each of its frames") {
  std::set<std::string> seen;
  for (const Verb& verb : lexicon().verbs) {
    const std::string key =
        verb.en + "+" + verb.en_particle + "/" + std::to_string(static_cast<int>(verb.frame));
    INFO(key);
    CHECK(seen.insert(key).second);
    CHECK(verb.infinitive.ends_with("n"));
    if (!verb.prefix.empty()) CHECK(verb.participle.starts_with(verb.prefix));
  }
}

TEST_CASE("a verb with an object and the same verb without one differ in their frame") {
  // A transitive "X Y" beside a prepositional "X Y" would leave the translation to chance.
  std::map<std::string, int> with_object;
  for (const Verb& verb : lexicon().verbs) {
    const bool takes_object =
        verb.frame == Frame::transitive || verb.frame == Frame::dative || verb.frame == Frame::prepositional;
    if (takes_object) ++with_object[verb.en + " " + verb.en_particle];
  }
  for (const auto& [verb, count] : with_object) {
    INFO(verb);
    CHECK(count == 1);
  }
}

TEST_CASE("regular German verbs are formed") {
  CHECK(lexicon().verb("work").third == "arbeitet");
  CHECK(lexicon().verb("work").past == "arbeitete");
  CHECK(lexicon().verb("visit").participle == "besucht");
  CHECK(lexicon().verb("repair").participle == "repariert");
  CHECK(lexicon().verb("tidy up").participle == "aufgeräumt");
  CHECK(lexicon().verb("collect").third == "sammelt");
  CHECK(lexicon().verb("open").third == "öffnet");
}

TEST_CASE("derivations keep the forms of their base") {
  CHECK(lexicon().noun("female doctor").de == "Ärztin");
  CHECK(lexicon().noun("female doctor").de_plural == "Ärztinnen");
  CHECK(lexicon().noun("female colleague").de == "Kollegin");
  CHECK(lexicon().noun("female music teacher").de == "Musiklehrerin");
  const Noun& door = lexicon().noun("house door");
  CHECK(door.de == "Haustür");
  CHECK(door.de_plural == "Haustüren");
  CHECK(door.gender == Gender::feminine);
  CHECK(door.root == "door");
  CHECK(door.modifier == "house");
  CHECK(lexicon().adjective("seven-year-old").de == "siebenjährig");
  CHECK_THROWS_AS(lexicon().noun("unicorn"), std::out_of_range);
}

TEST_CASE("names leave the German genitive regular") {
  for (const auto* names : {&lexicon().names.first, &lexicon().names.surname_ends}) {
    for (const std::string& name : *names) {
      INFO(name);
      CHECK(std::string("sxz").find(name.back()) == std::string::npos);
    }
  }
}
