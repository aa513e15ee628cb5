#include "transformer/eval/bleu.h"

#include <cmath>

#include "tests/catch.h"
#include "transformer/base/error.h"

// The constants were printed by sacreBLEU 2.6.

using namespace transformer::eval;

namespace {

using Orders = std::array<std::int64_t, bleu_order>;

Approx about(double value) {
  return Approx(value).margin(1e-8).epsilon(0);
}

/// BLEU of one sentence, as sacreBLEU has it: over the orders for which the hypothesis has n-grams.
double sentence_bleu(std::string_view hypothesis, const Sentences& references,
                     const MetricOptions& options = {}) {
  const auto score = bleu_score(bleu_counts(hypothesis, references, options));
  double log_sum = 0;
  int orders = 0;
  for (std::size_t i = 0; i < score.precisions.size() && score.counts.totals[i] > 0; ++i, ++orders)
    log_sum += std::log(score.precisions[i]);
  return orders == 0 ? 0 : score.brevity_penalty * std::exp(log_sum / orders);
}

const Corpus translation{{"The Cat sat. On the (mat), he said!", "Größe ist 5,5 m."},
                         {{"the cat sat on the mat, he said.", "Die Größe ist 5,5 Meter."}}};

}  // namespace

TEST_CASE("BLEU of a small corpus, with its parts") {
  const auto result = corpus_bleu(translation);
  CHECK(result.score == about(17.3655173699));
  CHECK(result.counts.matches == Orders{11, 4, 2, 0});
  CHECK(result.counts.totals == Orders{18, 16, 14, 12});
  CHECK(result.counts.hypothesis_length == 18);
  CHECK(result.counts.reference_length == 16);
  CHECK(result.brevity_penalty == 1);
  CHECK(result.precisions[3] == about(100.0 / 24));  // no match: half of a match is assumed
}

TEST_CASE("BLEU takes several references and lower case") {
  auto corpus = translation;
  corpus.references.push_back({"The cat sat (on the mat), he says!", "GRÖSSE: 5,5 m."});
  const MetricOptions options{.lowercase = true};
  const auto result = corpus_bleu(corpus, options);
  CHECK(result.score == about(39.5848193923));
  CHECK(result.counts.matches == Orders{18, 11, 6, 1});
  CHECK(result.counts.reference_length == 17);
  CHECK(sentence_bleu(corpus.hypotheses[0], corpus.references_of(0), options) == about(38.1633091137));
  CHECK(sentence_bleu(corpus.hypotheses[1], corpus.references_of(1), options) == about(63.8943104246));
}

// sacreBLEU's of the words of sacremoses, without a tokenization of its own. A small line is not the line's
// words made small: "Ende. Weber" has three, "ende. weber" two.
TEST_CASE("BLEU of Moses' words, of lines as they are and made small") {
  struct Example {
    Tokenization tokenization;
    Corpus corpus;
    double cased, lowercase;
    std::int64_t words, words_of_small;
  };
  const std::vector<Example> examples{
      {Tokenization::moses_german,
       {{"Am Ende. Weber kam, er hat's nicht eilig.", "Zwei Männer mit Hüten, ca. 30 Jahre alt, fahren Rad."},
        {{"Am Ende. Weber kam, er hatte es nicht eilig.",
          "Zwei Männer mit Hut, ca. 30 Jahre alt, fahren Fahrrad."}}},
       58.545472,
       56.330397,
       26,
       25},
      {Tokenization::moses_english,
       {{"The End. Smith doesn't like the boys' No. 5.", "Two men in hats, both in their 30's, ride bikes."},
        {{"The end. Smith doesn't like the boy's No. 5.",
          "Two men in hats, both in their 30's, are riding bikes."}}},
       64.081484,
       71.685024,
       27,
       27},
      {Tokenization::moses_french,
       {{"La Fin. L'homme n'aime pas l'été, cf. l'art. 5.",
         "Deux hommes qu'on voit à vélo, etc. Ils portent l'habit."},
        {{"La fin. L'homme n'aime pas l'hiver, cf. l'art. 5.",
          "Deux hommes qu'on voit en vélo, etc. Ils portent un habit."}}},
       63.607138,
       69.465004,
       30,
       29},
  };
  for (const auto& example : examples) {
    INFO(name_of(example.tokenization));
    const auto cased = corpus_bleu(example.corpus, {.tokenization = example.tokenization});
    CHECK(cased.score == Approx(example.cased).margin(1e-6).epsilon(0));
    CHECK(cased.counts.hypothesis_length == example.words);
    const auto small = corpus_bleu(example.corpus, {.tokenization = example.tokenization, .lowercase = true});
    CHECK(small.score == Approx(example.lowercase).margin(1e-6).epsilon(0));
    CHECK(small.counts.hypothesis_length == example.words_of_small);
  }
}

TEST_CASE("BLEU of empty sentences") {
  const auto nothing_said = corpus_bleu({{""}, {{"the cat sat"}}});
  CHECK(nothing_said.score == 0);
  CHECK(nothing_said.brevity_penalty == 0);
  CHECK(nothing_said.counts.reference_length == 3);

  const auto nothing_expected = corpus_bleu({{"the cat sat"}, {{""}}});
  CHECK(nothing_expected.score == 0);
  CHECK(nothing_expected.counts.totals == Orders{3, 2, 1, 0});

  CHECK(corpus_bleu({{""}, {{""}}}).score == 0);
  CHECK(corpus_bleu({{"", "the cat sat on the mat"}, {{"a b c", "the cat sat on the mat"}}}).score ==
        about(60.6530659713));
}

TEST_CASE("BLEU of fewer than four words is 0, but for the effective order") {
  const auto two = corpus_bleu({{"the cat"}, {{"the cat"}}});
  CHECK(two.score == 0);
  CHECK(two.precisions[1] == about(100));
  CHECK(sentence_bleu("the cat", {"the cat"}) == about(100));
  CHECK(corpus_bleu({{"the cat sat"}, {{"the cat sat down"}}}).score == 0);
  CHECK(sentence_bleu("the cat sat", {"the cat sat down"}) == about(71.6531310574));
}

TEST_CASE("BLEU smooths precisions without a match, one after the other") {
  CHECK(sentence_bleu("the cat sat on the mat today", {"xyzzy plugh qwo"}) == 0);
  const auto result = corpus_bleu({{"the dog ran over a mat today"}, {{"the cat sat on the mat today"}}});
  CHECK(result.score == about(14.5357684242));
  CHECK(result.precisions[2] == about(10.0));
  CHECK(result.precisions[3] == about(6.25));
  CHECK(sentence_bleu("a b c d x", {"a b d c x"}) == about(26.8642482956));
}

TEST_CASE("BLEU clips matches at the most that one reference holds") {
  const auto counts =
      bleu_counts("the the the the the the the", {"the cat is on the mat", "there is a cat on the mat"});
  CHECK(counts.matches == Orders{2, 0, 0, 0});
  CHECK(bleu_score(counts).score == about(7.8098498423));
}

TEST_CASE("BLEU compares with the closest reference, the shorter one in a tie") {
  const Sentences tie{"a b c d e f g", "a b c"};
  CHECK(bleu_counts("a b c d e", tie).reference_length == 3);
  CHECK(bleu_counts("a b c d e", {tie[1], tie[0]}).reference_length == 3);
  CHECK(corpus_bleu({{"a b c d e"}, {{tie[0]}, {tie[1]}}}).score == about(100));
  CHECK(sentence_bleu("a b c d e f", {"a b c d e f g h", "a b c d", "a b c x e f g"}) ==
        about(84.6481724891));
}

TEST_CASE("BLEU refuses what cannot be compared") {
  REQUIRE_THROWS_WITH(corpus_bleu({{"a", "b"}, {{"a", "b"}, {"a"}}}),
                      ContainsSubstring("reference 2: expected 2 lines, as in the hypothesis, found 1"));
  REQUIRE_THROWS_AS(corpus_bleu({{}, {{}}}), transformer::InputError);
  REQUIRE_THROWS_AS(corpus_bleu({{"a"}, {}}), transformer::InputError);
}

TEST_CASE("BLEU's signature differs from sacreBLEU's in the version alone") {
  CHECK_THAT(signature_of(bleu_metric({}), 1),
             ContainsSubstring("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:transformer-"));
  CHECK_THAT(signature_of(bleu_metric({.tokenization = Tokenization::paper}), 1),
             ContainsSubstring("nrefs:1|case:mixed|eff:no|tok:paper|smooth:exp|version:"));
  CHECK_THAT(signature_of(bleu_metric({.tokenization = Tokenization::moses_english, .lowercase = true}), 1),
             ContainsSubstring("nrefs:1|case:lc|eff:no|tok:moses-en|smooth:exp|version:"));
  CHECK_THAT(signature_of(bleu_metric({.tokenization = Tokenization::international, .lowercase = true}), 2),
             ContainsSubstring("nrefs:2|case:lc|eff:no|tok:intl|smooth:exp|version:"));
}

TEST_CASE("what becomes of orders without a match or without n-grams") {
  const Corpus two{{"the cat sat mat", "a dog barked loudly at me today"},
                   {{"the cat sat on the mat", "one dog was barking at us"}}};
  const Corpus shorter{{"the cat"}, {{"the cat sat"}}};
  struct Case {
    BleuOptions options;
    const char* signature;
    double two, shorter, effective;  // the last of the shorter one with an effective order
  };
  for (const auto& [options, signature, of_two, of_shorter, effective] : std::vector<Case>{
           {{Smoothing::exp}, "exp", 18.62647553493834, 0, 60.653065971263366},
           {{Smoothing::floor}, "floor[0.10]", 12.456274929870531, 0, 60.653065971263366},
           {{Smoothing::floor, 0.3}, "floor[0.30]", 16.393379733394234, 0, 60.653065971263366},
           {{Smoothing::add_k}, "add-k[1.00]", 26.238308137184756, 60.653065971263366, 60.653065971263366},
           {{Smoothing::none}, "none", 0, 0, 60.653065971263366}}) {
    INFO(signature);
    MetricOptions metric{.bleu = options};
    CHECK(corpus_bleu(two, metric).score == about(of_two));
    CHECK(corpus_bleu(shorter, metric).score == about(of_shorter));
    const auto fields = std::string("|eff:no|tok:13a|smooth:") + signature + "|version:";
    CHECK(signature_of(bleu_metric(metric), 1).find(fields) != std::string::npos);
    metric.bleu.effective_order = true;
    CHECK(corpus_bleu(two, metric).score == about(of_two));
    CHECK(corpus_bleu(shorter, metric).score == about(effective));
  }
}
