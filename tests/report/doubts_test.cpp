#include "transformer/report/doubts.h"

#include "tests/catch.h"
#include "tests/report/sample.h"
#include "transformer/report/agreement.h"
#include "transformer/report/claims.h"

using namespace transformer::test;
using transformer::eval::Comparison;

namespace {

/// A base of two seeds, and a row that is clearly worse, in the paper too, of which that is claimed.
Report decided_report() {
  Report report;
  report.baseline = "base";
  report.rows = {
      {"", "base", "", 1, {finished_run(1, 5, 25), finished_run(2, 5.01, 25.01)}, {4.92, 25.8, {}}, {}, {}},
      {"", "other", "", 1, {finished_run(1, 6, 20)}, {5.29, 24.9, {}}, {}, Comparison{-5, 0.001, 0.3}}};
  report.claims = {{"", "", "other", "base", Direction::worse, 0, Comparison{-5, 0.001, 0.3}}};
  report.trivial = {{"the source as it is", {24, 0.001, 0.5}}};
  return report;
}

bool decides(const Report& report) {
  const auto found = evidence_of(report, report.claims[0])->finding;
  const auto bleu = score_verdict(report, report.rows[1]),
             perplexity = perplexity_verdict(report, report.rows[1]);
  const bool any =
      found != Finding::undecided || bleu != Verdict::undecided || perplexity != Verdict::undecided;
  const bool all = found == Finding::held && bleu == Verdict::agrees && perplexity == Verdict::agrees;
  CHECK(any == all);
  return any;
}

}  // namespace

TEST_CASE("a base that is whole, trained and better than what is trivial decides") {
  const auto report = decided_report();
  CHECK(doubts_about_baseline(report).empty());
  CHECK(decides(report));
}

TEST_CASE("a base that lacks a seed decides nothing yet, and says which") {
  auto report = decided_report();
  report.rows[0].runs.push_back({.seed = 3, .state = "training, step 9 of 10", .curve = {}});
  report.rows[0].runs.push_back({.seed = 4, .state = "failed: no space", .curve = {}});
  CHECK(
      doubts_about_baseline(report) ==
      std::vector<std::string>{
          "Nothing is decided yet: base lacks seed 3 (training, step 9 of 10), seed 4 (failed: no space)."});
  CHECK_FALSE(decides(report));
}

TEST_CASE("a base that is not significantly better than what is trivial decides nothing") {
  for (const auto& [difference, p_value] :
       {std::pair(1.0, 0.05), {-1.0, 0.001}, {0.0, 1.0}, {no_number, 0.001}}) {
    auto report = decided_report();
    report.trivial.push_back({"the references of other sentences", {difference, p_value, 0.5}});
    CHECK(doubts_about_baseline(report).size() == 1);
    CHECK_FALSE(decides(report));
    report.trivial.back().comparison = {1, 0.049, 0.5};
    CHECK(decides(report));
  }
  auto report = decided_report();
  report.score.title = "BLEU";
  report.trivial[0].comparison = {-1.5, 0.3, 0.5};
  report.trivial.push_back({"the references of other sentences", {0.5, 0.3, 0.5}});
  CHECK(doubts_about_baseline(report) ==
        std::vector<std::string>{
            "Nothing is decided: base's BLEU of 25.01 is no better than that of the source as it is, 26.51.",
            "Nothing is decided: base's BLEU of 25.01 is not significantly better than that of the "
            "references of "
            "other "
            "sentences, 24.51 (p = 0.300)."});
}

TEST_CASE("a base whose perplexity still falls steeply at its end decides nothing") {
  auto report = decided_report();
  report.rows[0].runs[1].curve = {{100, 80}, {150, 50}, {200, 39}};  // one of its seeds suffices
  CHECK(doubts_about_baseline(report) ==
        std::vector<std::string>{
            "Nothing is decided: base's perplexity still fell by 22 % in the last quarter of its "
            "updates, so it is not trained to its end."});
  CHECK_FALSE(decides(report));
  report.rows[0].runs[1].curve.back().perplexity = 41;
  CHECK(decides(report));
}

TEST_CASE("a curve's fall in the last quarter of its updates lies between its points") {
  CHECK(fall_at_end({{50, 100}, {75, 50}, {100, 40}}) == Approx(0.2));
  CHECK(fall_at_end({{50, 64}, {100, 36}}) == Approx(0.25));  // 48 at 75
  CHECK(fall_at_end({{90, 50}, {100, 40}}) == Approx(0.2));   // as much as is known
  CHECK(fall_at_end({{75, 40}, {100, 50}}) < 0);
  CHECK(fall_at_end({{100, 40}}) == 0);
  CHECK(fall_at_end({}) == 0);
  CHECK(fall_at_end({{75, infinity}, {100, 40}}) == 0);
  CHECK(fall_at_end({{100, 50}, {100, 40}}) == 0);
}

TEST_CASE("a claim against another row than the base waits for all seeds of that") {
  auto report = decided_report();
  report.claims[0].row = "base";
  report.claims[0].against = "other";
  report.claims[0].expected = Direction::better;
  report.claims[0].comparison = Comparison{5, 0.001, 0.3};
  CHECK(evidence_of(report, report.claims[0])->finding == Finding::held);
  report.rows[1].runs.push_back({.seed = 2, .state = "waiting", .curve = {}});
  CHECK(evidence_of(report, report.claims[0])->finding == Finding::undecided);
  CHECK_THAT(to_markdown(report),
             ContainsSubstring("Nothing is decided yet against other, which lacks seed 2 (waiting)."));
}
