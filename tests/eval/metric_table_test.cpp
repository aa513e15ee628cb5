#include "transformer/eval/metric_table.h"

#include <cmath>
#include <set>

#include "tests/catch.h"
#include "transformer/base/error.h"

using namespace transformer::eval;

namespace {

const Sentences kSaid{"The Cat sat. On the (mat), he said!", "", "Größe ist 5,5 m.", "?"};
const Sentences kMeant{"the cat sat on the mat, he said.", "Who?", "", "Die Größe ist 5,5 Meter."};

}  // namespace

TEST_CASE("each metric stands once in the table, under its name") {
  const std::set<std::string> names(metric_names().begin(), metric_names().end());
  CHECK(names.size() == metric_names().size());
  std::set<std::string> printed;
  for (const auto& name : names) printed.insert(find_metric(name).name);
  CHECK(printed.size() == names.size());
  CHECK(find_metric("bleu").name == "BLEU");
  CHECK(find_metric("chrf++").name == "chrF2++");
}

TEST_CASE("an unknown metric is refused with what there is") {
  CHECK_THAT(list_metric_names(), ContainsSubstring("bleu, chrf"));
  REQUIRE_THROWS_WITH(find_metric("rouge", {}, "train"),
                      "train: expected " + list_metric_names() + ", found 'rouge'");
  REQUIRE_THROWS_AS(find_metric(""), transformer::InputError);
  REQUIRE_THROWS_AS(find_metric("BLEU"), transformer::InputError);
}

TEST_CASE("every metric counts as many numbers of each sentence, and scores any of them") {
  for (const auto& name : metric_names()) {
    const auto metric = find_metric(name, {.lowercase = true});
    INFO(name);
    const auto counts = count_sentences(metric, {kSaid, {kMeant}});
    REQUIRE(counts.size() == kSaid.size());
    for (const auto& sentence : counts) {
      CHECK(sentence.size() == counts.front().size());
      CHECK(std::isfinite(metric.score(sentence)));
    }
    const auto sum = sum_of(counts);
    for (std::size_t i = 0; i < sum.size(); ++i)
      CHECK(sum[i] == counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i]);
    CHECK(std::isfinite(metric.score(Counts(sum.size()))));
    CHECK(metric.score(sum) == corpus_score(metric, {kSaid, {kMeant}}));
    CHECK(corpus_score(metric, {kMeant, {kMeant}}) > metric.score(sum));
    CHECK_THAT(signature_of(metric, 2), ContainsSubstring("nrefs:2|case:lc|"));
  }
}
