// Derivations written by hand, with the German that a person would write.
#include "data/demo_corpus/grammar.h"

#include "tests/catch.h"
#include "tests/demo/derivations.h"

using namespace transformer::demo;
using namespace transformer::demo::test;

namespace {

void check(const Sentence& sentence, const std::string& en, const std::string& de) {
  CHECK(text_of(english(sentence)) == en);
  CHECK(text_of(german(sentence)) == de);
}

}  // namespace

TEST_CASE("articles and adjectives agree in gender, case and number") {
  const auto phrase = [](const NounPhrase& noun, Case kase) {
    std::string text;
    for (const Word& word : german_noun_phrase(noun, kase)) text += (text.empty() ? "" : " ") + word.text;
    return text;
  };
  const NounPhrase dog = np(Determiner::indefinite, "dog", {"big"});
  CHECK(phrase(dog, Case::nominative) == "ein großer Hund");
  CHECK(phrase(dog, Case::accusative) == "einen großen Hund");
  CHECK(phrase(dog, Case::dative) == "einem großen Hund");
  const NounPhrase cat = np(Determiner::indefinite, "cat", {"big"});
  CHECK(phrase(cat, Case::accusative) == "eine große Katze");
  CHECK(phrase(cat, Case::dative) == "einer großen Katze");
  CHECK(phrase(the("horse", {"old"}), Case::nominative) == "das alte Pferd");
  CHECK(phrase(np(Determiner::my, "horse", {"old"}), Case::nominative) == "mein altes Pferd");
  CHECK(phrase(np(Determiner::none, "house", {"expensive"}, Number::plural), Case::dative) ==
        "teuren Häusern");
  CHECK(phrase(np(Determiner::definite, "house", {"tall"}, Number::plural), Case::nominative) ==
        "die hohen Häuser");
  CHECK(phrase(np(Determiner::many, "child", {"small"}, Number::plural), Case::nominative) ==
        "viele kleine Kinder");
  CHECK(phrase(np(Determiner::both, "child", {"small"}, Number::plural), Case::nominative) ==
        "beide kleinen Kinder");
  CHECK(phrase(np(Determiner::no, "book", {"new"}, Number::plural), Case::accusative) ==
        "keine neuen Bücher");
  CHECK(phrase(np(Determiner::none, "coffee", {"cold"}), Case::accusative) == "kalten Kaffee");
  CHECK(phrase(np(Determiner::demonstrative, "boy", {}), Case::dative) == "diesem Jungen");
  CHECK(phrase(the("girl"), Case::genitive) == "des Mädchens");
  CHECK(phrase(the("friend"), Case::genitive) == "des Freundes");
  CHECK(phrase(the("student"), Case::genitive) == "des Studenten");
  CHECK(phrase(np(Determiner::our, "house door", {"red"}), Case::dative) == "unserer roten Haustür");
  CHECK(phrase(the("lamp"), Case::dative) == "der Lampe");
}

TEST_CASE("the verb comes second, whatever stands in front") {
  Clause clause = does(name("Anna"), "buy", np(Determiner::indefinite, "apple"), Tense::past);
  const Phrase yesterday{"yesterday", "gestern"};
  clause.time = &yesterday;
  check({clause}, "Anna bought an apple yesterday.", "Anna kaufte gestern einen Apfel.");
  clause.front = Front::time;
  check({clause}, "Yesterday, Anna bought an apple.", "Gestern kaufte Anna einen Apfel.");
}

TEST_CASE("separable verbs split in a main clause and join in a subordinate one") {
  const Clause turns_on = does(the("woman"), "turn on", the("lamp"));
  check({turns_on}, "The woman turns on the lamp.", "Die Frau schaltet die Lampe ein.");
  Sentence sentence;
  sentence.main = does(pronoun(Pronoun::he), "sleep");
  const Conjunction although{"although", "obwohl", Conjunction::Kind::subordinating};
  sentence.conjunction = &although;
  sentence.other = turns_on;
  check(sentence, "He sleeps although the woman turns on the lamp.",
        "Er schläft, obwohl die Frau die Lampe einschaltet.");
  sentence.other_first = true;
  check(sentence, "Although the woman turns on the lamp, he sleeps.",
        "Obwohl die Frau die Lampe einschaltet, schläft er.");
  Clause perfect = does(pronoun(Pronoun::i), "phone", the("doctor"), Tense::perfect);
  perfect.negated = true;
  check({perfect}, "I have not phoned the doctor.", "Ich habe den Arzt nicht angerufen.");
}

TEST_CASE("participle and infinitive close the clause, and sein goes with motion") {
  Clause travels = does(pronoun(Pronoun::we), "travel", Tense::perfect);
  travels.place = PlacePhrase{"to", "nach", Case::dative, std::nullopt, "Lindenfeld"};
  check({travels}, "We have travelled to Lindenfeld.", "Wir sind nach Lindenfeld gereist.");
  Clause must = does(pronoun(Pronoun::i), "wait for", the("bus"));
  must.modal = Modal::must;
  check({must}, "I must wait for the bus.", "Ich muss auf den Bus warten.");
  Clause wants = does(name("Peter"), "see", the("lion"));
  wants.modal = Modal::wants;
  wants.negated = true;
  check({wants}, "Peter does not want to see the lion.", "Peter will den Löwen nicht sehen.");
  wants.negated = false;
  wants.question = true;
  check({wants}, "Does Peter want to see the lion?", "Will Peter den Löwen sehen?");
}

TEST_CASE("that-clauses put the whole verb cluster at the end") {
  Clause says = does(mister("Bergmann"), "say");
  says.complement =
      share(does(the("child"), "read", np(Determiner::indefinite, "book", {"new"}), Tense::perfect));
  check({says}, "Mr. Bergmann says that the child has read a new book.",
        "Herr Bergmann sagt, dass das Kind ein neues Buch gelesen hat.");
}

TEST_CASE("infinitives take zu, inside a separable verb") {
  Clause tries = does(the("boy"), "try", Tense::perfect);
  Clause open;
  open.verb = &words().verb("unlock");
  open.accusative = the("house door");
  tries.complement = share(open);
  check({tries}, "The boy has tried to unlock the house door.",
        "Der Junge hat versucht, die Haustür aufzuschließen.");
  Clause goes = does(pronoun(Pronoun::she), "go", Tense::past);
  goes.place = PlacePhrase{"into", "in", Case::accusative, the("kitchen"), ""};
  Clause help;
  help.verb = &words().verb("help");
  help.dative = np(Determiner::her, "mother");
  goes.purpose = share(help);
  check({goes}, "She went into the kitchen in order to help her mother.",
        "Sie ging in die Küche, um ihrer Mutter zu helfen.");
}

TEST_CASE("the relative pronoun has the gender of its noun and the case of its gap") {
  const auto says_of = [](NounPhrase noun, Clause relative, Gap gap) {
    relative.gap = gap;
    noun.relative = share(std::move(relative));
    Clause clause = does(name("Emma"), "see", std::move(noun));
    return Sentence{clause};
  };
  Clause gapped;
  gapped.verb = &words().verb("bake");
  gapped.accusative = np(Determiner::indefinite, "cake");
  check(says_of(the("man"), gapped, Gap::subject), "Emma sees the man who bakes a cake.",
        "Emma sieht den Mann, der einen Kuchen backt.");
  check(says_of(the("dog"), does(name("Otto"), "look for"), Gap::accusative),
        "Emma sees the dog that Otto looks for.", "Emma sieht den Hund, den Otto sucht.");
  check(
      says_of(np(Determiner::definite, "child", {}, Number::plural), does(name("Otto"), "help"), Gap::dative),
      "Emma sees the children whom Otto helps.", "Emma sieht die Kinder, denen Otto hilft.");
  check(says_of(the("woman"), does(name("Otto"), "wait for"), Gap::prepositional),
        "Emma sees the woman for whom Otto waits.", "Emma sieht die Frau, auf die Otto wartet.");
  NounPhrase whose = np(Determiner::whose, "dog", {"old"});
  whose.owner_gender = Gender::feminine;
  Clause is = does(whose, "be");
  is.predicate = &words().adjective("tired");
  check(says_of(the("woman"), is, Gap::whose), "Emma sees the woman whose old dog is tired.",
        "Emma sieht die Frau, deren alter Hund müde ist.");
}

TEST_CASE("prepositions take the case that the meaning asks for") {
  Clause put = does(name("Clara"), "place", the("vase"));
  put.place = PlacePhrase{"onto", "auf", Case::accusative, the("table"), ""};
  check({put}, "Clara places the vase onto the table.", "Clara stellt die Vase auf den Tisch.");
  Clause stands = does(the("vase"), "stand");
  stands.place = PlacePhrase{"on", "auf", Case::dative, the("table"), ""};
  check({stands}, "The vase stands on the table.", "Die Vase steht auf dem Tisch.");
  Clause works = does(name("Clara"), "work");
  works.place = PlacePhrase{"in", "in", Case::dative, the("garden"), ""};
  works.negated = true;
  check({works}, "Clara does not work in the garden.", "Clara arbeitet nicht im Garten.");
  Clause comes = does(pronoun(Pronoun::they), "come", Tense::past);
  comes.place = PlacePhrase{"to", "zu", Case::dative, the("church"), ""};
  check({comes}, "They came to the church.", "Sie kamen zur Kirche.");
}

TEST_CASE("negation, possessors, comparison and anaphora") {
  Clause no_car = does(name("Karl"), "have", np(Determiner::indefinite, "car", {"new"}));
  no_car.negated = true;
  check({no_car}, "Karl does not have a new car.", "Karl hat kein neues Auto.");
  NounPhrase book = np(Determiner::definite, "book", {"old"});
  book.possessor = std::make_shared<NounPhrase>(the("teacher"));
  check({does(name("Karl"), "read", book)}, "Karl reads the teacher's old book.",
        "Karl liest das alte Buch des Lehrers.");
  book.possessor = std::make_shared<NounPhrase>(mister("Bergmann"));
  check({does(name("Karl"), "read", book)}, "Karl reads Mr. Bergmann's old book.",
        "Karl liest Herrn Bergmanns altes Buch.");
  Clause older = does(the("castle"), "be");
  older.predicate = &words().adjective("older");
  older.than = the("mill");
  check({older}, "The castle is older than the mill.", "Das Schloss ist älter als die Mühle.");
  Sentence sentence;
  sentence.main = does(name("Karl"), "buy", the("coat"), Tense::past);
  NounPhrase it = pronoun(Pronoun::it);
  it.owner_gender = Gender::masculine;
  sentence.other = does(it, "be", Tense::past);
  sentence.other->predicate = &words().adjective("cheap");
  const Conjunction because{"because", "weil", Conjunction::Kind::subordinating};
  sentence.conjunction = &because;
  check(sentence, "Karl bought the coat because it was cheap.",
        "Karl kaufte den Mantel, weil er billig war.");
}

TEST_CASE("a dative person comes before the accusative thing") {
  Clause gives = does(the("mother"), "give");
  gives.dative = np(Determiner::her, "son", {"small"});
  gives.accusative = np(Determiner::indefinite, "book", {"new"});
  check({gives}, "The mother gives her small son a new book.",
        "Die Mutter gibt ihrem kleinen Sohn ein neues Buch.");
}

TEST_CASE("the first person has forms of its own") {
  check({does(pronoun(Pronoun::i), "collect", np(Determiner::none, "shell", {}, Number::plural))},
        "I collect shells.", "Ich sammle Muscheln.");
  Clause knows = does(pronoun(Pronoun::i), "know");
  knows.verb = nullptr;
  for (const Verb& verb : words().verbs) {
    if (verb.en == "know" && verb.frame == Frame::that) knows.verb = &verb;
  }
  Clause rains = does(pronoun(Pronoun::it), "rain");
  knows.complement = share(rains);
  check({knows}, "I know that it rains.", "Ich weiß, dass es regnet.");
}

TEST_CASE("combinations name the words that meet") {
  Clause clause = does(name("Anna"), "buy", np(Determiner::indefinite, "kitchen table", {"older"}));
  CHECK(combinations({clause}) ==
        std::vector<std::string>{"adjective old+table", "compound kitchen+table", "object buy+table"});
  CHECK(copied_names({clause}) == std::vector<std::string>{"Anna"});
}
