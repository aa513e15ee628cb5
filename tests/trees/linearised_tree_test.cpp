#include "transformer/trees/linearised_tree.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/catch.h"

using namespace transformer::trees;

TEST_CASE("a tree as tokens, with tags and without") {
  // The sentence of Vinyals et al. 2015, figure 2.
  const auto tree = parse_tree("(S (NP (NNP John)) (VP (VBZ has) (NP (DT a) (NN dog))) (. .))");
  CHECK(linearised(tree, true) == "(S (NP NNP )NP (VP VBZ (NP DT NN )NP )VP . )S");
  CHECK(linearised(tree, false) == "(S (NP XX )NP (VP XX (NP XX XX )NP )VP XX )S");
  CHECK(linearised(parse_tree("(NN a)"), true) == "NN");
  CHECK(linearised({}, true).empty());
}

TEST_CASE("tokens of a tree give it back") {
  for (const auto* line : {"(S (NP (NNP John)) (VP (VBZ has) (NP (DT a) (NN dog))) (. .))", "(NN a)",
                           "(NP (NN a))", "(NP (NP (NP (NN a))))", "(S (NN a) (X (NN b)) (X (Y (NN c))))"}) {
    const auto tree = parse_tree(line);
    const auto back = restored(linearised(tree, true), words_of(tree));
    CHECK(back.tree == tree);
    CHECK_FALSE(back.mended);
  }
  CHECK_FALSE(restored("", "").mended);
  CHECK(restored("(S NN )S", "").tree == BracketedTree());
}

TEST_CASE("tokens that are no tree of the words are mended by rules") {
  const auto mended = [](const char* tokens, const char* words) {
    const auto found = restored(tokens, words);
    CHECK(found.mended);
    const auto line = to_brackets(found.tree);
    CHECK(parse_tree(line) == found.tree);  // whatever it was, it is a tree now
    CHECK(words_of(found.tree) == words);
    return line;
  };
  // Missing ends: of an inner constituent, and of all.
  CHECK(mended("(S (NP DT NN (VP VB )VP )S", "the cat sat") == "(S (NP (DT the) (NN cat) (VP (VB sat))))");
  CHECK(mended("(S (NP DT NN )NP (VP VB", "the cat sat") == "(S (NP (DT the) (NN cat)) (VP (VB sat)))");
  // An end without a beginning, and one of another label.
  CHECK(mended("(S (NP DT NN )NP )PP (VP VB )VP )S", "the cat sat") ==
        "(S (NP (DT the) (NN cat)) (VP (VB sat)))");
  CHECK(mended(")S NN )S", "a") == "(S (NN a))");
  // Too many tags, and too few.
  CHECK(mended("(S DT NN VB )S", "the cat") == "(S (DT the) (NN cat))");
  CHECK(mended("(S (NP DT )NP )S", "the cat sat") == "(S (NP (DT the)) (XX cat) (XX sat))");
  CHECK(mended("", "the cat") == "(S (XX the) (XX cat))");
  // A tag is missing in front of the comma, and one is too many behind it: the comma meets its tag.
  CHECK(mended("(S (NP DT )NP , (VP VB )VP )S", "the cat , sat") ==
        "(S (NP (DT the)) (XX cat) (, ,) (VP (VB sat)))");
  CHECK(mended("(S (NP DT JJ NN )NP , (VP VB )VP )S", "the cat , sat") ==
        "(S (NP (DT the) (JJ cat)) (, ,) (VP (VB sat)))");
  // A mark may tell that one tag is too many and another missing.
  const auto aligned = [](const char* tokens, const char* words) {
    return to_brackets(restored(tokens, words, /*align_marks=*/true).tree);
  };
  CHECK(aligned("(S (NP DT JJ NN )NP , )S", "the cat , sat") == "(S (NP (DT the) (JJ cat)) (, ,) (XX sat))");
  CHECK(aligned("(S NN , NN )S", "a b ,") == "(S (NN a) (XX b) (, ,))");
  CHECK_FALSE(restored("(S NN , NN )S", "a b ,").mended);  // a tree may be so
  CHECK_FALSE(restored("(S NN NN , )S", "a b ,", true).mended);
  CHECK_FALSE(restored("(S XX XX XX )S", "a b ,", true).mended);
  CHECK(mended("(S XX XX XX )S", "a ,") == "(S (XX a) (XX ,))");
  CHECK(mended("(S XX )S", "a , b") == "(S (XX a) (XX ,) (XX b))");
  CHECK(mended("(S NN NN )S", "a ; b") == "(S (NN a) (: ;) (NN b))");
  // What follows the end of the outermost constituent, and what precedes its beginning.
  CHECK(mended("(S NN )S (NP NN )NP", "a b") == "(S (NN a) (NP (NN b)))");
  CHECK(mended("(S NN )S )S", "a") == "(S (NN a))");
  CHECK(mended("NN (NP NN )NP", "a b") == "(S (NN a) (NP (NN b)))");
  CHECK(mended("NN NN", "a b") == "(S (NN a) (NN b))");
  // Without words.
  CHECK(mended("(S (NP )NP NN )S", "a") == "(S (NN a))");
  CHECK(mended("(S )S", "a") == "(S (XX a))");
  // The tokens have no words: an unknown one is a tag.
  CHECK(to_brackets(restored("(S <unk> )S", "a").tree) == "(S (<unk> a))");
}

TEST_CASE("brackets among the words cannot be taken for those of the tree") {
  CHECK(to_brackets(restored("(S NN NN NN )S", "( a(b )").tree) == "(S (NN -LRB-) (NN a-LRB-b) (NN -RRB-))");
}

TEST_CASE("whatever tokens come, a tree of the words comes out") {
  const char* tokens[] = {"(S", "(NP", ")S", ")NP", "NN", "XX", "(", ")"};
  std::uint64_t state = 7;
  const auto draw = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % below;
  };
  for (int trial = 0; trial < 5000; ++trial) {
    std::string text, words;
    for (auto left = draw(12); left > 0; --left) text += std::string(tokens[draw(std::size(tokens))]) + " ";
    for (auto left = 1 + draw(5); left > 0; --left) words += (words.empty() ? "w" : " w");
    INFO(text << "/ " << words);
    const auto found = restored(text, words);
    const auto line = to_brackets(found.tree);
    REQUIRE(parse_tree(line) == found.tree);
    REQUIRE(words_of(found.tree) == words);
    // What is a tree stays one, and what is none says so.
    const auto again = restored(linearised(found.tree, true), words);
    REQUIRE(again.tree == found.tree);
    REQUIRE_FALSE(again.mended);
    std::istringstream all(text);
    std::string in_order;
    for (std::string token; all >> token;) in_order += (in_order.empty() ? "" : " ") + token;
    REQUIRE(found.mended == (linearised(found.tree, true) != in_order));
  }
}

TEST_CASE("all of CRAFT's trees are linearised and read back") {
  const std::filesystem::path folder = CRAFT_DATA;
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: no trees in " << folder);
    return;
  }
  int count = 0;
  for (const auto* name : {"train.trees", "dev.trees"}) {
    std::ifstream file(folder / name);
    for (std::string line; std::getline(file, line);) {
      const auto tree = plain_tree(parse_tree(line));
      if (tree.words.empty()) continue;
      ++count;
      const auto back = restored(linearised(tree, true), words_of(tree));
      REQUIRE(back.tree == tree);
      REQUIRE_FALSE(back.mended);
      REQUIRE(parse_tree(to_brackets(tree)) == tree);
    }
  }
  CHECK(count == 21731);
}
