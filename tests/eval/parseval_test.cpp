#include "transformer/eval/parseval.h"

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/eval/metric_table.h"

using namespace transformer;
using namespace transformer::eval;

TEST_CASE("brackets of a sentence, counted by hand") {
  // Words that count: 0 the, 1 cat, 2 sat, 3 on, 4 mats. The comma and the stop do not.
  const char* gold =
      "(TOP (S (NP-SBJ (DT the) (NN cat)) (, ,) (VP (VBD sat) (PP (IN on) (NP (NNS mats)))) (. .)))";
  const ParsevalSums right{.sentences = 1,
                           .gold = 5,
                           .found = 5,
                           .matched = 5,
                           .complete = 1,
                           .uncrossed = 1,
                           .words = 5,
                           .tags = 5};
  CHECK(parseval_counts(gold, gold).all == right);
  CHECK(parseval_counts("( (S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (NNS mats))))) )", gold)
            .errors == 0);

  // Found: S 0-5, NP 0-1, VP 1-5, NP 3-5. In the reference: S 0-5, NP 0-2, VP 2-5, PP 3-5, NP 4-5.
  // Equal: S alone. VP 1-5 crosses NP 0-2; the others cross nothing. The tag of "cat" is another one.
  const auto counts = parseval_counts(
      "(TOP (S (NP (DT the)) (VP (VB cat) (, ,) (VBD sat) (NP (IN on) (NNS mats))) (. .)))", gold);
  CHECK(counts.all ==
        ParsevalSums{
            .sentences = 1, .gold = 5, .found = 4, .matched = 1, .crossing = 1, .words = 5, .tags = 4});
  CHECK(parseval_f1(counts.all) == Approx(100.0 * 2 / 9));
  CHECK(counts.up_to_40 == counts.all);
  CHECK(counts.errors == 0);
}

TEST_CASE("equal brackets serve once, ADVP equals PRT, and brackets of punctuation do not count") {
  const char* gold = "(S (NP (NP (NN a))) (PRT (RP up)))";
  // NP 0-1 three times against two; ADVP for PRT.
  const auto counts = parseval_counts("(S (NP (NP (NP (NN a)))) (ADVP (RP up)))", gold);
  CHECK(counts.all.gold == 4);
  CHECK(counts.all.found == 5);
  CHECK(counts.all.matched == 4);
  CHECK(counts.all.complete == 0);
  CHECK(parseval_counts("(S (NP (NP (NN a))) (PRT (RP up)) (X (: --)))", gold).all.found == 4);
}

TEST_CASE("a sentence of other words, or no tree, is an error and counts nowhere else") {
  const char* gold = "(S (NN a) (NN b))";
  for (const auto* found : {"(S (NN a))", "(S (NN a) (NN c))", "(S (NN a) (NN b)", "", "a b"}) {
    INFO(found);
    CHECK(parseval_counts(found, gold) == ParsevalCounts{{}, {}, 1});
  }
  CHECK(parseval_counts("(S (NN a) (, ,) (NN b))", gold).errors == 0);
  CHECK(parseval_counts("(S (NN A) (NN b))", gold).errors == 1);
  CHECK(parseval_counts("(S (NN A) (NN b))", gold, /*ignore_case=*/true).all.complete == 1);
  CHECK_THROWS_WITH(parseval_counts("(S (NN a))", "no tree"),
                    Catch::Matchers::StartsWith("a reference that is no tree: character 1: expected"));
}

TEST_CASE("sentences of more than 40 words count among all alone") {
  std::string words, more;
  for (int i = 0; i < 39; ++i) words += "(NN a) ";
  const auto length = [](const std::string& inner) {
    const auto tree = "(S " + inner + ")";
    return parseval_counts(tree, tree).up_to_40.sentences;
  };
  CHECK(length(words + "(, ,)") == 1);
  CHECK(length(words + "(, ,) (NN a)") == 0);
  CHECK(length(words + "(-NONE- *) (NN a)") == 1);
}

TEST_CASE("the metric is F1 of the sums, with what it was measured by") {
  const auto metric = find_metric("parseval");
  const Corpus corpus{{"(S (NP (NN a)) (VP (VB b)))", "(S (NN a) (NN b))"},
                      {{"(S (NP (NN a)) (NP (VB b)))", "(S (NN a) (NN b))"}}};
  // 3 + 1 brackets on each side, 2 + 1 equal.
  CHECK(corpus_score(metric, corpus) == Approx(75));
  const auto sum = sum_of(count_sentences(metric, corpus));
  CHECK(metric.detail(sum) ==
        "P 75.00 R 75.00 complete 50.00 crossing 0.00 uncrossed 100.00 tags 100.00 (2 sentences, 0 errors; "
        "up to 40 "
        "words: F1 75.00 P 75.00 R 75.00 complete 50.00 crossing 0.00 uncrossed 100.00 tags 100.00, 2 "
        "sentences)");
  CHECK_THROWS_AS(metric.count("(S (NN a))", {"(S (NN a))", "(S (NN a))"}), InputError);
}

TEST_CASE("a hypothesis without tags takes the reference's for punctuation, and its tags are not scored") {
  const char* gold = "(S (NP (DT the) (NN cat)) (, ,) (VP (VBD sat)) (. .))";
  // With its own tags the comma would count as a word of NP, whose bracket would be another one.
  const auto counts = parseval_counts("(S (NP (XX the) (XX cat) (XX ,)) (VP (XX sat)) (XX .))", gold);
  CHECK(counts.all ==
        ParsevalSums{.sentences = 1, .gold = 3, .found = 3, .matched = 3, .complete = 1, .uncrossed = 1});
  // Without the punctuation nothing need be told by tags.
  CHECK(parseval_counts("(S (XX the) (XX cat) (XX sat))", gold).all.gold == 3);
  CHECK(parseval_counts("(S (XX the) (XX cat) (XX ,) (XX sat))", gold).errors == 1);
  CHECK(parseval_counts("(S (XX the) (NN cat) (, ,) (VBD sat) (. .))", gold).all.tags == 2);
  const auto metric = find_metric("parseval");
  const auto sum = metric.count("(S (XX a))", {"(S (NN a))"});
  CHECK(metric.detail(sum).find("no tags") != std::string::npos);
}
