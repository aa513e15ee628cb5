#include "transformer/eval/by_length.h"

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/eval/metric_table.h"

using namespace transformer;
using namespace transformer::eval;

namespace {

const Corpus kCorpus{{"a dog ran over the mat", "it rains", "the cat sat on a mat today", "no"},
                     {{"the dog ran over the mat", "it rains now", "the cat sat on the mat today", "yes"}}};

}  // namespace

TEST_CASE("words are what stands between white space") {
  CHECK(word_counts({"ein Hund, der lief", "", "  zwei\tWorte "}) == std::vector<std::int64_t>{4, 0, 2});
}

TEST_CASE("a group's score is that of its sentences alone") {
  const auto metric = find_metric("chrf");
  const auto counts = count_sentences(metric, kCorpus);
  const auto groups = scores_by_length(metric, counts, {{6, 2, 7, 0}, {2, 5, 6}});
  REQUIRE(groups.size() == 4);
  const auto alone = [&](std::vector<std::size_t> which) {
    Corpus part{{}, {{}}};
    for (const auto i : which) {
      part.hypotheses.push_back(kCorpus.hypotheses[i]);
      part.references[0].push_back(kCorpus.references[0][i]);
    }
    return part;
  };
  CHECK(words_of(groups[0]) == "up to 2");
  CHECK(groups[0].sentences == 2);
  CHECK(groups[0].score == Approx(corpus_score(metric, alone({1, 3}))));
  CHECK(words_of(groups[1]) == "3 to 5");
  CHECK(groups[1].sentences == 0);
  CHECK(words_of(groups[2]) == "6 to 6");
  CHECK(groups[2].score == Approx(corpus_score(metric, alone({0}))));
  CHECK(groups[2].interval.half_width == 0);  // one sentence is drawn again and again
  CHECK(groups[2].interval.mean == Approx(groups[2].score));
  CHECK(words_of(groups[3]) == "over 6");
  CHECK(groups[3].sentences == 1);

  const auto one = scores_by_length(metric, counts, {{1, 1, 1, 1}, {5}});
  CHECK(one[0].score == Approx(corpus_score(metric, kCorpus)));
  CHECK(one[0].interval.half_width == Approx(confidence_interval(metric, {counts}).half_width));
}

TEST_CASE("groups need a length for each sentence, and ends that rise") {
  const auto metric = find_metric("bleu");
  const auto counts = count_sentences(metric, kCorpus);
  CHECK_THROWS_AS(scores_by_length(metric, counts, {{1, 2, 3}, {5}}), InputError);
  for (const std::vector<std::int64_t>& ends : {std::vector<std::int64_t>{}, {0}, {5, 5}, {7, 5}})
    CHECK_THROWS_AS(scores_by_length(metric, counts, {{1, 2, 3, 4}, ends}), InputError);
}
