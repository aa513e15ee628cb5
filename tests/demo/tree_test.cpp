// The brackets of English sentences.
#include "data/demo_corpus/corpus.h"
#include "data/demo_corpus/words.h"
#include "tests/catch.h"
#include "tests/demo/derivations.h"
#include "transformer/trees/bracketed_tree.h"

using namespace transformer::demo;
using namespace transformer::demo::test;
using namespace transformer::trees;

namespace {

/// Without the tags, which are XX but for marks.
std::string tree(const Sentence& sentence) {
  auto text = tree_of(english(sentence));
  for (auto at = text.find("(XX "); at != std::string::npos; at = text.find("(XX ")) {
    text.erase(text.find(')', at), 1);
    text.erase(at, 4);
  }
  return text;
}

}  // namespace

TEST_CASE("trees as a person would draw them") {
  CHECK(tree({does(the("woman"), "wait for", np(Determiner::definite, "dog", {"big"}))}) ==
        "(S (NP The woman) (VP waits (PP for (NP the big dog))) (. .))");

  Clause yesterday = does(name("Anna"), "buy", the("house"), Tense::perfect);
  yesterday.negated = true;
  CHECK(tree({yesterday}) == "(S (NP Anna) (VP has not (VP bought (NP the house))) (. .))");
  yesterday.negated = false;
  yesterday.question = true;
  CHECK(tree({yesterday}) == "(SQ Has (NP Anna) (VP bought (NP the house)) (. ?))");

  Clause tries = does(the("boy"), "try", Tense::past);
  Clause open;
  open.verb = &words().verb("unlock");
  open.accusative = the("house door");
  tries.complement = share(open);
  CHECK(tree({tries}) == "(S (NP The boy) (VP tried (S (VP to (VP unlock (NP the house door))))) (. .))");

  Clause says = does(mister("Bergmann"), "say");
  says.complement = share(does(the("child"), "sleep"));
  CHECK(tree({says}) == "(S (NP Mr. Bergmann) (VP says (SBAR that (S (NP the child) (VP sleeps)))) (. .))");

  NounPhrase woman = the("woman");
  Clause waits = does(name("Otto"), "wait for");
  waits.gap = Gap::prepositional;
  woman.relative = share(waits);
  CHECK(tree({does(name("Emma"), "see", woman)}) ==
        "(S (NP Emma) (VP sees (NP (NP the woman) (SBAR (WHPP for whom) (S (NP Otto) (VP waits))))) (. .))");

  Clause older = does(the("castle"), "be");
  older.predicate = &words().adjective("older");
  older.than = the("mill");
  CHECK(tree({older}) == "(S (NP The castle) (VP is (ADJP older (PP than (NP the mill)))) (. .))");

  Sentence joined;
  joined.main = does(name("Karl"), "buy", the("coat"), Tense::past);
  joined.other = does(pronoun(Pronoun::it), "be", Tense::past);
  joined.other->predicate = &words().adjective("cheap");
  const Conjunction because{"because", "weil", Conjunction::Kind::subordinating};
  joined.conjunction = &because;
  CHECK(tree(joined) ==
        "(S (S (NP Karl) (VP bought (NP the coat))) (SBAR because (S (NP it) (VP was (ADJP cheap)))) (. .))");
  joined.other_first = true;
  CHECK(tree(joined) ==
        "(S (SBAR Because (S (NP it) (VP was (ADJP cheap)))) (, ,) (S (NP Karl) (VP bought (NP the coat))) "
        "(. .))");

  Clause goes = does(pronoun(Pronoun::she), "go", Tense::past);
  goes.place = PlacePhrase{"into", "in", Case::accusative, the("kitchen"), ""};
  Clause help;
  help.verb = &words().verb("help");
  help.dative = np(Determiner::her, "mother");
  goes.purpose = share(help);
  CHECK(tree({goes}) ==
        "(S (NP She) (VP went (PP into (NP the kitchen)) (SBAR in order (S (VP to (VP help (NP her "
        "mother)))))) "
        "(. .))");
}

TEST_CASE("each tree of the corpus is one, of the sentence's words") {
  const auto corpus = make_corpus({.seed = 5, .train = 3000, .dev = 100, .test = 100});
  for (const auto* split : {&corpus.train, &corpus.dev, &corpus.test}) {
    for (const auto& example : *split) {
      INFO(example.text.en_tree);
      const auto tree = parse_tree(example.text.en_tree);
      std::vector<std::string> spelled;
      for (const auto& word : tree.words) spelled.push_back(word.word);
      REQUIRE(join_sentence(spelled) == example.text.en);
      REQUIRE(tree.constituents.front().end == tree.words.size());
      REQUIRE(plain_tree(tree) == tree);
      // Each constituent has a name that the README lists, and each sentence a subject and a verb.
      for (const auto& constituent : tree.constituents)
        REQUIRE(
            std::string(" NP VP PP ADJP ADVP PRT S SQ SBAR WHNP WHPP ").find(" " + constituent.label + " ") !=
            std::string::npos);
    }
  }
}
