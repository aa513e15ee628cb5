#include "transformer/eval/metrics.h"

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/eval/metric_table.h"

using namespace transformer::eval;

TEST_CASE("metrics come in the order asked for, each with its own signature") {
  const Corpus corpus{{"the dog ran over a mat today"}, {{"the cat sat on the mat today"}}};
  const auto results = score_corpus(corpus, {"chrf++", "bleu", "chrf"},
                                    {.metric = {.tokenization = Tokenization::none, .lowercase = true}});
  REQUIRE(results.size() == 3);
  CHECK(results[0].name == "chrF2++");
  CHECK(results[0].score == Approx(34.5366619535));
  CHECK_THAT(results[0].signature, ContainsSubstring("case:lc|eff:yes|nc:6|nw:2|"));
  CHECK(results[1].name == "BLEU");
  CHECK_THAT(results[1].signature, ContainsSubstring("case:lc|eff:no|tok:none|"));
  CHECK(results[2].name == "chrF2");
  CHECK(results[2].score == Approx(36.1282476840));
}

TEST_CASE("a result is one line in sacreBLEU's layout") {
  const auto results =
      score_corpus({{"the dog ran over a mat today"}, {{"the cat sat on the mat today"}}}, {"bleu", "chrf"});
  CHECK_THAT(format_result(results[0]),
             ContainsSubstring("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|"));
  CHECK_THAT(format_result(results[0]), ContainsSubstring(" = 14.54 42.9/16.7/10.0/6.2 (BP = 1.000 ratio = "
                                                          "1.000 hyp_len = 7 ref_len = 7)"));
  CHECK_THAT(format_result(results[1]), ContainsSubstring("chrF2|nrefs:1|"));
  CHECK_THAT(format_result(results[1]), ContainsSubstring(" = 36.13"));
}

TEST_CASE("an unknown metric is named") {
  REQUIRE_THROWS_WITH(score_corpus({{"a"}, {{"a"}}}, {"rouge"}),
                      "metrics: expected " + list_metric_names() + ", found 'rouge'");
}

TEST_CASE("a metric is asked for once") {
  REQUIRE_THROWS_WITH(score_corpus({{"a"}, {{"a"}}}, {"bleu", "chrf", "bleu"}),
                      ContainsSubstring("metrics: expected each once, found 'bleu' twice"));
}

TEST_CASE("intervals and comparisons stand where sacreBLEU has them, and are named in the signature") {
  const Corpus corpus{{"the dog ran over a mat today", "she reads the long letter again"},
                      {{"the cat sat on the mat today", "she reads a long letter again"}}};
  const Sentences other{"the cat sat on the mat today", "a letter"};

  const auto with_interval = score_corpus(corpus, {"chrf"}, {.confidence = true});
  CHECK_THAT(with_interval[0].signature,
             ContainsSubstring("nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:"));
  CHECK_THAT(format_result(with_interval[0]), ContainsSubstring(" (μ = "));
  CHECK_FALSE(with_interval[0].baseline);

  const auto compared =
      score_corpus(corpus, {"bleu"}, {.resampling = {.samples = 50, .trials = 60, .seed = 7}}, other);
  CHECK_THAT(compared[0].signature, ContainsSubstring("nrefs:1|bs:50|ar:60|seed:7|case:mixed|eff:no|"));
  CHECK_FALSE(compared[0].interval);
  CHECK(compared[0].baseline.value().score == score_corpus({other, corpus.references}, {"bleu"})[0].score);

  CHECK(format_result({.name = "BLEU",
                       .score = 26.596,
                       .signature = "s",
                       .detail = "d",
                       .interval = Interval{26.601, 0.648}}) == "BLEU|s = 26.60 (μ = 26.60 ± 0.65) d");
  CHECK(format_comparison(
            {.name = "BLEU",
             .score = 26.596,
             .signature = "s",
             .detail = "",
             .baseline =
                 BaselineResult{26.332, {0.264, 0.2, 0, 0, 0.0979}, {0.264, 0.18868, 0, 0, 0.18868}}}) ==
        "BLEU baseline = 26.33 difference = +0.26 p = 0.2000 (paired bootstrap, two-sided) p = 0.0979 "
        "(one-sided, "
        "as sacreBLEU's) p = 0.1887 (approximate randomization)");
  REQUIRE_THROWS_WITH(score_corpus(corpus, {"bleu"}, {}, {"one line"}),
                      ContainsSubstring("baseline: expected 2 lines, as in the hypothesis, found 1"));
}
