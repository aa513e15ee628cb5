#include "transformer/eval/accuracy.h"

#include "tests/catch.h"
#include "transformer/eval/metric_table.h"

using namespace transformer::eval;

TEST_CASE("labels are compared place by place") {
  const auto metric = find_metric("accuracy");
  CHECK(metric.count("yes", {"yes"}) == Counts{1, 1});
  CHECK(metric.count("no", {"yes"}) == Counts{0, 1});
  CHECK(metric.count("B-X O  O", {"B-X I-X O"}) == Counts{2, 3});
  CHECK(metric.count("O", {"O O"}) == Counts{1, 2});
  CHECK(metric.count("O O O", {"O O"}) == Counts{2, 3});
  CHECK(metric.count("", {""}) == Counts{0, 0});
  CHECK(metric.count("Yes", {"yes"}) == Counts{0, 1});
  CHECK(find_metric("accuracy", {.lowercase = true}).count("Yes", {"yes"}) == Counts{1, 1});
  CHECK(corpus_score(metric, {{"a b", "c"}, {{"a x", "c"}}}) == Approx(200.0 / 3));
  CHECK(metric.count("a b", {"c d e", "a c", "b a"}) == Counts{1, 2});
  CHECK(key_of(metric) == "accuracy");
}

TEST_CASE("a token is right if it is the most probable one, whatever its probability") {
  const auto metric = find_score("token_accuracy", "");
  REQUIRE(metric.is_of_predictions());
  const std::vector<Prediction> tokens{{.token = 5, .best = 5, .log_probability = -3},
                                       {.token = 6, .best = 7, .log_probability = -0.7},
                                       {.token = 3, .best = 3, .log_probability = -0.1}};
  CHECK(metric.count_predictions(tokens) == Counts{2, 3});
  CHECK(metric.score(Counts{2, 3}) == Approx(200.0 / 3));
  CHECK(metric.score(Counts{0, 0}) == 0);
  CHECK_FALSE(metric.less_is_better);
}
