#include "transformer/eval/metrics.h"

#include "tests/catch.h"
#include "transformer/base/error.h"

using namespace transformer::eval;

TEST_CASE("metrics come in the order asked for, each with its own signature") {
  const Corpus corpus{{"the dog ran over a mat today"}, {{"the cat sat on the mat today"}}};
  const auto results = score_corpus(corpus, {"chrf++", "bleu", "chrf"},
                                    {.tokenization = Tokenization::none, .lowercase = true});
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
                      ContainsSubstring("expected bleu, chrf or chrf++, found 'rouge'"));
}
