#include "transformer/eval/chrf.h"

#include "tests/catch.h"
#include "transformer/base/error.h"

// The constants were printed by sacreBLEU 2.6.

using namespace transformer::eval;

namespace {

Approx about(double value) {
  return Approx(value).margin(1e-8).epsilon(0);
}

struct Case {
  Corpus corpus;
  bool lowercase;
  double chrf;
  double chrf_plus_plus;
};

const Sentences said{"The Cat sat. On the (mat), he said!", "Größe ist 5,5 m."};
const Sentences meant{"the cat sat on the mat, he said.", "Die Größe ist 5,5 Meter."};
const Sentences also_meant{"The cat sat (on the mat), he says!", "GRÖSSE: 5,5 m."};

}  // namespace

TEST_CASE("chrF and chrF++ of corner cases") {
  const std::vector<Case> cases{
      {{said, {meant}}, false, 46.8890992963, 46.5645608220},
      {{said, {meant, also_meant}}, true, 61.3835675776, 61.9336449828},
      {{{"", "the cat sat on the mat"}, {{"a b c", "the cat sat on the mat"}}},
       false,
       95.6381335705,
       90.3458996490},
      {{{"the cat"}, {{"the cat"}}}, false, 100, 100},
      {{{"the cat sat"}, {{"the cat sat down"}}}, false, 66.0176414222, 68.3557292120},
      {{{"the cat sat on the mat today"}, {{"xyzzy plugh qwo"}}}, false, 3.3783783784, 2.5337837838},
      {{{"a b c d x"}, {{"a b d c x"}}}, false, 25, 35.7142857143},
      {{{"(hi) \"x\" -- !", "a"}, {{"(hi ) x! -", "a"}}}, false, 32.6992679767, 31.5381382609},
      {{{""}, {{"the cat sat"}}}, false, 0, 0},
      {{{"the cat sat"}, {{""}}}, false, 0, 0},
      {{{""}, {{""}}}, false, 0, 0},
  };
  for (const auto& [corpus, lowercase, chrf, chrf_plus_plus] : cases) {
    INFO("first hypothesis: " << corpus.hypotheses[0]);
    CHECK(corpus_score(chrf_metric({.lowercase = lowercase}), corpus) == about(chrf));
    CHECK(corpus_score(chrf_plus_plus_metric({.lowercase = lowercase}), corpus) == about(chrf_plus_plus));
  }
}

TEST_CASE("chrF keeps the reference that gives the best score") {
  CHECK(chrf_score(chrf_counts("abc", {"xyz", "abd"})) == about(38.8888888889));
  CHECK(chrf_counts("abc", {"xyz", "abd"}) == chrf_counts("abc", {"abd"}));
  CHECK(corpus_score(chrf_metric({}), {{"a b c d e"}, {{"a b c"}, {"a b c d e f g"}}}) ==
        about(82.0610687023));
  const Sentences three{"a b c d e f g h", "a b c d", "a b c x e f g"};
  CHECK(chrf_score(chrf_counts("a b c d e f", three, {.word_order = 2})) == about(86.4726027397));
}

TEST_CASE("chrF counts characters, not bytes, and no white space") {
  const auto counts = chrf_counts("Grö ße", {"Größe"});
  CHECK(counts.orders[0] == ChrfCounts::Order{5, 5, 5});
  CHECK(counts.orders[4] == ChrfCounts::Order{1, 1, 1});
  CHECK(counts.orders[5] == ChrfCounts::Order{0, 0, 0});
  CHECK(counts.orders[6] == ChrfCounts::Order{0, 0, 0});
  CHECK(chrf_counts("Grö ße", {"Größe"}, {.word_order = 2}).orders[6].matches == 0);
}

TEST_CASE("chrF refuses what cannot be compared") {
  REQUIRE_THROWS_AS(corpus_score(chrf_metric({}), {{"a", "b"}, {{"a"}}}), transformer::InputError);
}

TEST_CASE("chrF's name and signature") {
  CHECK(chrf_metric({}).name == "chrF2");
  CHECK(chrf_plus_plus_metric({}).name == "chrF2++");
  CHECK_THAT(signature_of(chrf_metric({}), 1),
             ContainsSubstring("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:transformer-"));
  CHECK_THAT(signature_of(chrf_plus_plus_metric({.lowercase = true}), 3),
             ContainsSubstring("nrefs:3|case:lc|eff:yes|nc:6|nw:2|space:no|version:transformer-"));
}

TEST_CASE("chrF with other orders, weights, blanks and smoothing") {
  const Corpus two{{"the cat sat mat", "a dog barked loudly at me today"},
                   {{"the cat sat on the mat", "one dog was barking at us"}}};
  const Corpus shorter{{"ab"}, {{"ab c"}}};
  struct Case {
    ChrfOptions options;
    const char* name;
    double two, shorter;
  };
  for (const auto& [options, name, of_two, of_shorter] : std::vector<Case>{
           {{.word_order = 0, .beta = 1}, "chrF1", 34.01819479312991, 73.68421052631578},
           {{.word_order = 1, .beta = 2}, "chrF2+", 36.42934769958106, 60.97560975609755},
           {{.word_order = 2, .beta = 3, .whitespace = true},
            "chrF3++",
            40.86081267676041,
            47.05882352941176},
           {{.whitespace = true, .eps_smoothing = true}, "chrF2", 42.806191275037996, 15.669515669515674},
           {{.word_order = 2, .eps_smoothing = true}, "chrF2++", 34.420598706400526, 22.817460317460316}}) {
    INFO(name);
    const auto metric = chrf_metric({.chrf = options});
    CHECK(metric.name == name);
    CHECK(corpus_score(metric, two) == about(of_two));
    CHECK(corpus_score(metric, shorter) == about(of_shorter));
  }
}
