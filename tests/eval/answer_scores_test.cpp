#include "transformer/eval/answer_scores.h"

#include "tests/catch.h"
#include "tests/eval/answer_scores_python.h"
#include "transformer/eval/label_scores.h"
#include "transformer/eval/metric_table.h"

using namespace transformer::eval;

TEST_CASE("answers are equal without case, punctuation and articles") {
  CHECK(is_exact_answer("The cat.", "cat"));
  CHECK(is_exact_answer("a  CAT", "the \"cat\""));
  CHECK(is_exact_answer("U.S.", "us"));
  CHECK_FALSE(is_exact_answer("cats", "cat"));
  CHECK(is_exact_answer("cat", "dog</s>cat"));
  CHECK_FALSE(is_exact_answer("", "cat"));
  CHECK(is_exact_answer("the", "a"));  // nothing is left of either
}

TEST_CASE("answers overlap in words, each as often as both have it") {
  CHECK(answer_overlap("the red cat", "a red dog") == 0.5);  // red of red cat, red dog
  CHECK(answer_overlap("very very big", "very big house") == Approx(4.0 / 6));
  CHECK(answer_overlap("cat", "dog") == 0);
  CHECK(answer_overlap("the", "a") == 1);
  CHECK(answer_overlap("the", "a cat") == 0);
  CHECK(answer_overlap("red cat", "dog</s>red</s>big red cat") == Approx(0.8));
  CHECK(answer_overlap("Ä B", "ä c") == 0.5);
}

TEST_CASE("their means are scores of labels, and metrics of lists") {
  const std::vector<std::string> found{"the red cat", "dog"}, expected{"red dog", "a dog"};
  CHECK(find_label_score("exact_match", "").score(found, expected) == 0.5);
  CHECK(find_label_score("answer_f1", "").score(found, expected) == 0.75);
  CHECK(corpus_score(find_metric("exact_match"), {found, {expected}}) == Approx(50));
  CHECK(corpus_score(find_metric("answer_f1"), {found, {expected}}) == Approx(75));
}

TEST_CASE("answers score what transformers' copy of SQuAD's script says") {
  namespace python = transformer::test;
  CHECK(exact_match(python::found_answers, python::expected_answers) ==
        Approx(python::exact_match_of_answers).epsilon(1e-12));
  CHECK(answer_f1(python::found_answers, python::expected_answers) ==
        Approx(python::answer_f1_of_answers).epsilon(1e-12));
}
