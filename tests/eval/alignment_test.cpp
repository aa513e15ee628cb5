#include "transformer/eval/alignment.h"

#include "tests/catch.h"
#include "transformer/base/error.h"

using namespace transformer;
using namespace transformer::eval;

namespace {

LinkCounts counts_of(const std::string& links, const std::string& gold) {
  return count_links(parse_links({links}, "links")[0], parse_gold_links({gold}, "gold")[0]);
}

}  // namespace

TEST_CASE("the rates follow Och and Ney's formulas") {
  // |A| = 4, |S| = 3, |A ∩ S| = 2 (0-0, 1-1), |A ∩ P| = 3 (and 2?2)
  const auto counts = counts_of("0-0 1-1 2-2 3-0", "0-0 1-1 4-4 2?2 2?3");
  CHECK(counts.links == 4);
  CHECK(counts.sure == 3);
  CHECK(counts.sure_found == 2);
  CHECK(counts.possible_found == 3);
  CHECK(alignment_error_rate(counts) == Approx(100 * (1 - 5.0 / 7)));
  CHECK(alignment_precision(counts) == Approx(75));
  CHECK(alignment_recall(counts) == Approx(100 * 2.0 / 3));
}

TEST_CASE("the sure links alone are perfect, and possible ones among them change nothing") {
  for (const char* links : {"0-0 2-1", "0-0 1-1 2-1", "0-0 1-1 2-1 2-2"}) {
    const auto counts = counts_of(links, "0-0 2-1 1?1 2?2");
    INFO(links);
    CHECK(alignment_error_rate(counts) == 0);
    CHECK(alignment_precision(counts) == 100);
    CHECK(alignment_recall(counts) == 100);
  }
  CHECK(alignment_error_rate(counts_of("0-1", "0-0 1?0")) == 100);
}

TEST_CASE("without links there is nothing to divide") {
  const auto none = counts_of("", "0-0");
  CHECK(alignment_error_rate(none) == 100);
  CHECK(alignment_precision(none) == 0);
  CHECK(alignment_error_rate(counts_of("", "")) == 0);
  CHECK(alignment_recall(counts_of("0-0", "")) == 0);
}

TEST_CASE("a corpus is scored by the sums of its sentences") {
  const auto links = parse_links({"0-0 1-1 2-2 3-0", "", "0-0"}, "links");
  const auto gold = parse_gold_links({"0-0 1-1 4-4 2?2 2?3", "0-0 1?1", "0-0"}, "gold");
  const auto results = score_alignments(links, gold, true);
  REQUIRE(results.size() == 3);  // |A| = 5, |S| = 5, |A ∩ S| = 3, |A ∩ P| = 4
  CHECK(results[0].name == "AER");
  CHECK(results[0].score == Approx(30));
  CHECK(results[0].signature.starts_with("sentences:3|links:5|sure:5|bs:1000|seed:12345|version:"));
  CHECK(results[1].name == "precision");
  CHECK(results[1].score == Approx(80));
  CHECK(results[2].name == "recall");
  CHECK(results[2].score == Approx(60));
  REQUIRE(results[0].interval);
  CHECK(results[0].interval->half_width > 0);
  CHECK(results[0].interval->mean == Approx(30).margin(15));
  const auto plain = score_alignments(links, gold);
  CHECK_FALSE(plain[0].interval);
  CHECK(plain[0].signature.starts_with("sentences:3|links:5|sure:5|version:"));
}

TEST_CASE("a corpus needs sentences, as many gold ones, and a sure link") {
  CHECK_THROWS_AS(score_alignments({}, {}), InputError);
  CHECK_THROWS_AS(score_alignments({{}, {}}, {{}}), InputError);
  CHECK_THROWS_WITH(score_alignments({{}}, parse_gold_links({"0?0"}, "gold")),
                    "expected at least one sure link in the gold alignments, found none");
}
