#include "transformer/eval/label_scores.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/eval/label_scores_python.h"
#include "transformer/base/error.h"

using namespace transformer;
using Lines = std::vector<std::string>;

namespace {

Lines one_against_rest(Lines lines) {
  for (auto& line : lines) line = line == "bad" ? "bad" : "rest";
  return lines;
}

}  // namespace

TEST_CASE("scores of labels are those of scikit-learn, SciPy and seqeval") {
  using namespace eval;
  const auto near = [](double value) { return Approx(value).epsilon(1e-12); };
  CHECK(accuracy(test::found_classes, test::expected_classes) == near(test::accuracy_of_classes));
  CHECK(macro_f1(test::found_classes, test::expected_classes) == near(test::macro_f1_of_classes));
  CHECK(matthews(test::found_classes, test::expected_classes) == near(test::matthews_of_classes));
  CHECK(matthews(one_against_rest(test::found_classes), one_against_rest(test::expected_classes)) ==
        near(test::matthews_of_two));
  CHECK(pearson(test::found_numbers, test::expected_numbers) == near(test::pearson_of_numbers));
  CHECK(spearman(test::found_numbers, test::expected_numbers) == near(test::spearman_of_numbers));
  CHECK(entity_f1(test::found_words, test::expected_words) == near(test::entity_f1_of_words));
  CHECK(accuracy(test::found_words, test::expected_words) == near(test::accuracy_of_words));
}

TEST_CASE("scores of labels that are counted by hand") {
  using namespace eval;
  const Lines found{"a", "b", "b", "a"}, expected{"a", "b", "a", "a"};
  CHECK(accuracy(found, expected) == 0.75);
  CHECK(macro_f1(found, expected) == Approx((4.0 / 5 + 2.0 / 3) / 2));
  CHECK(matthews(found, expected) == Approx((2 * 1 - 1 * 0) / std::sqrt(2.0 * 3 * 2 * 1)));
  CHECK(matthews(Lines{"a", "a"}, Lines{"a", "b"}) == 0);
  // One of two found entities is right, and one of three expected ones is found.
  CHECK(entity_f1(Lines{"B-PER I-PER O", "O B-LOC O"}, Lines{"B-PER I-PER O", "B-LOC B-LOC I-LOC"}) ==
        Approx(2 * 0.5 * (1.0 / 3) / (0.5 + 1.0 / 3)));
  CHECK(entity_f1(Lines{"O O"}, Lines{"O O"}) == 0);
  CHECK(pearson(Lines{"1", "2", "3"}, Lines{"2", "4", "6"}) == Approx(1));
  CHECK(spearman(Lines{"1", "2", "30"}, Lines{"-1", "-2", "-3"}) == Approx(-1));
  CHECK(pearson(Lines{"1", "1"}, Lines{"2", "4"}) == 0);
}

TEST_CASE("labels that cannot be compared are refused") {
  using namespace eval;
  CHECK_THROWS_WITH(accuracy(Lines{"a"}, Lines{}),
                    "labels: expected equally many lines, and one at least, found 1 and 0");
  CHECK_THROWS_WITH(accuracy(Lines{"a", "a b"}, Lines{"a", "a"}),
                    "labels, line 2: expected 1 labels, found 2");
  for (const auto* text : {"", "one", "1 2", "nan", "inf", "1x"})
    CHECK_THROWS_WITH(pearson(Lines{text}, Lines{"1"}), ContainsSubstring("expected a number as a label"));
  for (const auto* text : {"PER", "B", "B-", "1", "O-PER"})
    CHECK_THROWS_WITH(entity_f1(Lines{text}, Lines{"O"}),
                      ContainsSubstring("expected O or labels such as B-PER and I-PER"));
  CHECK(find_label_score("macro_f1", "train.metric").score == macro_f1);
  CHECK_THROWS_WITH(find_label_score("bleu", "train.metric"),
                    "train.metric: expected one of accuracy, macro_f1, matthews, pearson, spearman, "
                    "entity_f1, exact_match, answer_f1 for labels, found 'bleu'");
}
