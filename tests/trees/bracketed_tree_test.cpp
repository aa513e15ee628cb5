#include "transformer/trees/bracketed_tree.h"

#include "tests/catch.h"
#include "transformer/base/error.h"

using namespace transformer;
using namespace transformer::trees;

TEST_CASE("a tree is read with its constituents in the order of their opening brackets") {
  const auto tree = parse_tree("( (S (NP-SBJ-1 (DT the) (NN cat)) (VP (VBD sat)) (. .)) )");
  CHECK(tree.words == std::vector<TaggedWord>{{"DT", "the"}, {"NN", "cat"}, {"VBD", "sat"}, {".", "."}});
  CHECK(tree.constituents ==
        std::vector<Constituent>{{"", 0, 4}, {"S", 0, 4}, {"NP-SBJ-1", 0, 2}, {"VP", 2, 3}});
  CHECK(parse_tree("(X (-LRB- -LRB-))").words == std::vector<TaggedWord>{{"-LRB-", "-LRB-"}});
}

TEST_CASE("what is no tree is refused with the place of the fault") {
  const auto refusal = [](const char* line) {
    try {
      parse_tree(line);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("") == "character 1: expected an opening bracket, found the end of the line");
  CHECK(refusal("S (NN x)") == "character 1: expected an opening bracket, found 'S (NN x)'");
  CHECK(refusal("(S (NN x)") == "character 10: expected a closing bracket, found the end of the line");
  CHECK(refusal("(S (NN x)) (S (NN y))") ==
        "character 12: expected the end of the line behind the tree, found '(S (NN y))'");
  CHECK(refusal("(S (NN x) y)") == "character 11: expected a closing bracket, found 'y)'");
  CHECK(refusal("(S (NP) (NN x))") == "character 7: expected a word in the bracket, found ') (NN x))'");
  CHECK(refusal("(S (NN x y))") == "character 10: expected a closing bracket, found 'y))'");
  CHECK(refusal("((NN x) y)") == "character 9: expected a closing bracket, found 'y)'");
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "(X ";
  CHECK(refusal(deep.c_str()).find("at most 1000 brackets in each other") != std::string::npos);
}

TEST_CASE("labels lose function tags and indices") {
  CHECK(plain_label("NP-SBJ-1") == "NP");
  CHECK(plain_label("NP=2") == "NP");
  CHECK(plain_label("-NONE-") == "-NONE-");
  CHECK(plain_label("").empty());
}

TEST_CASE("a tree is written as it was read") {
  for (const auto* line : {"(S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .))", "(NN a)", "(X (X (X (Y b))))",
                           "(S (NN a) (NP (NP (NN b))) (NN c))"}) {
    CHECK(to_brackets(parse_tree(line)) == line);
  }
  CHECK(to_brackets({}).empty());
  CHECK(words_of(parse_tree("(S (NP (DT the) (NN cat)) (VP (VBD sat)))")) == "the cat sat");
}

TEST_CASE("traces, function tags, indices and outer brackets go") {
  const auto plain = [](const char* line) { return to_brackets(plain_tree(parse_tree(line))); };
  CHECK(plain("( (S (NP-SBJ-1 (DT the) (NN cat)) (VP (VBZ is) (VP (VBN seen) (NP-1 (-NONE- *))))) )") ==
        "(S (NP (DT the) (NN cat)) (VP (VBZ is) (VP (VBN seen))))");
  // The empty phrase is the only thing in two others.
  CHECK(plain("(S (SBAR (S (NP (-NONE- *)))) (NN a))") == "(S (NN a))");
  CHECK(plain("(S (NP (-NONE- *)) (NP=2 (-LRB- -LRB-)))") == "(S (NP (-LRB- -LRB-)))");
  CHECK(plain("(TOP (S (NN a)))") == "(S (NN a))");
  CHECK(plain("(ROOT (TOP (S1 (S (NN a)))))") == "(S (NN a))");
  CHECK(plain("( (NN a) )") == "(NN a)");
  CHECK(plain("( (S (NN a)) (S (NN b)) )") == "(TOP (S (NN a)) (S (NN b)))");
  CHECK(plain("(S1 (NN a) (NN b))") == "(TOP (NN a) (NN b))");
  CHECK(plain("( (S (NP (-NONE- *)) (VP (-NONE- *))) )").empty());
}
