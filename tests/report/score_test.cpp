#include "transformer/report/score.h"

#include "tests/catch.h"
#include "tests/report/sample.h"

using namespace transformer::test;

TEST_CASE("a score is called as its metric is, and unknown ones by their name") {
  const auto bleu = score_named("bleu");
  CHECK(bleu.id == "bleu");
  CHECK(bleu.title == "BLEU");
  CHECK_FALSE(bleu.less_is_better);
  CHECK_THAT(bleu.signature, ContainsSubstring("nrefs:1|case:mixed|eff:no|tok:13a|"));
  const auto perplexity = score_named("perplexity");
  CHECK(perplexity.less_is_better);
  CHECK_THAT(perplexity.signature, Catch::Matchers::StartsWith("unit:subword|version:"));
  CHECK(score_named("chrf++").id == "chrf2++");
  CHECK(score_named("mine").title == "mine");
}

TEST_CASE("runs that are watched have the scores that their configurations name, each once") {
  std::vector<WatchedRun> runs(4);
  runs[1].settings = {{"train.metric", "chrf"}};
  runs[2].settings = {{"train.steps", "5"}};
  runs[3].settings = {{"train.metric", "perplexity"}};  // which all have
  const auto scores = scores_of(runs);
  REQUIRE(scores.size() == 2);
  CHECK(scores[0].title == "BLEU");
  CHECK(scores[1].title == "chrF2");
}

TEST_CASE("a report speaks of its own score") {
  auto report = report_with_claims();
  report.score = {"errors", "Errors", true, "errors|version:1"};
  report.target = 24;
  for (const auto& text : {to_markdown(report), to_html(report)}) {
    CHECK(count(text, "BLEU") == 1);  // sacreBLEU, whose test of significance is named
    CHECK_THAT(text, ContainsSubstring("Errors") && ContainsSubstring("errors|version:1") &&
                         ContainsSubstring("Below 24.00"));
  }
  const auto csv = to_csv(report);
  CHECK_THAT(csv, ContainsSubstring(",perplexity,errors,errors_interval_mean,") &&
                      ContainsSubstring(",errors_holm_p_value,paper_perplexity,paper_errors,"));
}
