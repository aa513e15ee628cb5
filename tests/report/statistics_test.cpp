#include "transformer/report/statistics.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/report/sample.h"

using namespace transformer::test;

namespace {

const Score kBleu{.id = "bleu", .title = "BLEU"};
const Score kErrors{.id = "errors", .title = "Errors", .less_is_better = true};

}  // namespace

TEST_CASE("mean and standard deviation of a sample") {
  const auto eight = summarize(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(eight.count == 8);
  CHECK(eight.mean == 5);
  CHECK(eight.deviation.value() == Approx(std::sqrt(32.0 / 7)));
  CHECK(summarize(std::vector<double>{1, 3}).deviation.value() == Approx(std::sqrt(2.0)));
  CHECK(summarize(std::vector<double>{3}).mean == 3);
  CHECK_FALSE(summarize(std::vector<double>{3}).deviation);
  CHECK(summarize({}).count == 0);
  CHECK(summarize({}).mean == 0);
}

TEST_CASE("only finished runs that have a figure count") {
  auto row = small_report().rows[0];
  CHECK(perplexity_of(row).mean == Approx(5.1));
  CHECK(score_of(row).mean == Approx(25.25));
  CHECK(score_of(row).deviation.value() == Approx(0.5 / std::sqrt(2.0)));
  row.runs[1].score = {};
  CHECK(score_of(row).count == 1);
  CHECK(perplexity_of(row).count == 2);
  row.runs[1].state = "failed: no space";
  CHECK(perplexity_of(row).count == 1);
  row.runs[0].seconds = 0;
  CHECK(seconds_of(row).count == 0);
  CHECK(flops_of(row).mean == 3.3e18);
}

TEST_CASE("the baseline is found by its name") {
  auto report = small_report();
  CHECK(baseline_of(report) == &report.rows[0]);
  report.baseline = "heads 1";
  CHECK(baseline_of(report) == &report.rows[1]);
  report.baseline = "another";
  CHECK(baseline_of(report) == nullptr);
  report.baseline = report.rows[0].name = "";
  CHECK(baseline_of(report) == nullptr);
}

TEST_CASE("the deviation over seeds is pooled over the rows that have several") {
  auto report = small_report();  // BLEU 25.0 and 25.5; one run; none
  REQUIRE(score_noise(report));
  CHECK(score_noise(report)->degrees == 1);
  CHECK(score_noise(report)->deviation == Approx(0.5 / std::sqrt(2.0)));
  report.rows[1].runs = {finished_run(1, 5, 20), finished_run(2, 5, 21), finished_run(3, 5, 22)};
  CHECK(score_noise(report)->degrees == 3);  // squares: 0.125 and 2
  CHECK(score_noise(report)->deviation == Approx(std::sqrt(2.125 / 3)));
  CHECK(score_noise(report)->equal_variances.value() == Approx(0.3857356061105226));
  CHECK(perplexity_noise(report)->deviation == Approx(std::log(5.2 / 5.0) / std::sqrt(2.0 * 3)));
  report.rows[1].runs[1].score = no_number;
  CHECK(score_noise(report)->degrees == 1);
  report.rows[0].runs.pop_back();
  CHECK_FALSE(score_noise(report));
  CHECK_FALSE(score_noise({}));
}

TEST_CASE("rows that learnt nothing do not tell how far seeds are apart") {
  auto report = small_report();
  const auto noise = score_noise(report).value();
  const auto perplexities = perplexity_noise(report).value();
  auto row = report.rows[0];
  row.name = "no residual";
  row.runs[0].score = 0.1;
  row.runs[1].score = 4.8;  // a mean of 2.45, of 25.25
  row.runs[1].perplexity = 900;
  report.rows.push_back(row);
  CHECK(score_noise(report)->degrees == noise.degrees);
  CHECK(score_noise(report)->deviation == noise.deviation);
  CHECK(perplexity_noise(report)->deviation == perplexities.deviation);
  report.rows.back().runs[1].score = 5.1;
  CHECK(score_noise(report)->degrees == noise.degrees + 1);
  CHECK(perplexity_noise(report)->deviation > perplexities.deviation);
}

TEST_CASE("a row with a seed that failed is judged by its own deviation, and no other row is") {
  const auto row = [](const std::string& name, const std::vector<double>& scores) {
    Row made{"", name, "", 1, {}, {}, {}, {}};
    for (std::size_t i = 0; i < scores.size(); ++i)
      made.runs.push_back(finished_run(static_cast<std::int64_t>(i) + 1, 5, scores[i]));
    return made;
  };
  Report report;
  report.baseline = "base";
  report.rows = {row("base", {30.0, 30.5, 31.0}), row("one", {29.0, 29.4, 29.8}),
                 row("two", {31.0, 31.6, 32.2})};
  const auto before = score_noise(report).value();
  CHECK(before.degrees == 6);
  CHECK(before.deviation == Approx(std::sqrt((0.25 + 0.16 + 0.36) / 3)));
  report.rows.push_back(row("failed", {30.2, 29.8, 6.0}));
  const auto after = score_noise(report).value();
  CHECK(after.degrees == 6);
  CHECK(after.deviation == before.deviation);
  CHECK(after.erratic == Approx(2.5));  // the lower of two in the middle, 0.5
  const auto base = score_of(report.rows[0]), one = score_of(report.rows[1]),
             failed = score_of(report.rows[3]);
  CHECK(seed_p_value(after, one, base) == seed_p_value(before, one, base));
  // By hand: degrees (a + b)² / (a² / 2 + b² / 6) = 2.0053, cut to 2, for which p is 1 - |t| / √(2 + t²), t =
  // -1.06168.
  const auto [error, degrees] = error_of_difference(after, failed, base);
  CHECK(error ==
        Approx(std::sqrt((after.deviation * after.deviation + *failed.deviation * *failed.deviation) / 3)));
  CHECK(degrees == 2);
  CHECK(seed_p_value(after, failed, base).value() == Approx(0.39963094).epsilon(1e-6));
  report.rows.erase(report.rows.begin() + 1, report.rows.begin() + 3);  // of two nobody knows which is usual
  CHECK(score_noise(report)->degrees == 4);
}

TEST_CASE("the p-value of seeds is Student's") {
  // t = 0.75 / (0.5 · √(1/1 + 1/2)) = 1.2247, three degrees of freedom: SciPy's 2·t.sf(t, 3).
  const Summary row{.count = 1, .mean = 24.5}, base{.count = 2, .mean = 25.25};
  CHECK(seed_p_value(SeedNoise{0.5, 3}, row, base).value() == Approx(0.30806800925035716).epsilon(1e-12));
  CHECK_FALSE(seed_p_value({}, row, base));
  CHECK_FALSE(seed_p_value(SeedNoise{0.5, 3}, {}, base));
  CHECK_FALSE(seed_p_value(SeedNoise{0, 3}, row, base));  // seeds that change nothing tell nothing
}

TEST_CASE("whether a mean exceeds a target is Student's, one-sided") {
  const auto three = summarize(std::vector<double>{38.2, 38.5, 38.9});
  // SciPy's ttest_1samp(…, 38, alternative="greater") and (…, 39, …)
  CHECK(target_p_value(kBleu, three, 38).value() == Approx(0.059614493949455526));
  CHECK(target_p_value(kBleu, three, 39).value() == Approx(0.9260064336151304));
  const auto equal = summarize(std::vector<double>{38.5, 38.5});
  CHECK_FALSE(target_p_value(kBleu, equal, 38));
  CHECK_FALSE(target_p_value(kBleu, summarize(std::vector<double>{40}), 38));
}

TEST_CASE("Spearman's correlation of columns with equal values is SciPy's") {
  const std::vector<double> paper{25.8, 24.9, 25.5, 25.8, 25.4, 25.1}, here{33, 31, 32.5, 33.5, 32.5, 30};
  CHECK(spearman(paper, here).value() == Approx(0.9117647058823529).epsilon(1e-12));
  CHECK(spearman(std::vector<double>{1, 2, 3}, std::vector<double>{3, 20, 100}) == 1);
  CHECK(spearman(std::vector<double>{1, 2, 3}, std::vector<double>{3, 2, 1}) == -1);
  CHECK_FALSE(spearman(std::vector<double>{1, 1}, std::vector<double>{3, 2}));
  CHECK_FALSE(spearman(std::vector<double>{1, no_number}, std::vector<double>{3, 2}));
  CHECK_FALSE(spearman({}, {}));
}

TEST_CASE("where less is better, a lower mean surpasses the target, and what learnt nothing scores high") {
  CHECK(gain_of(kBleu, -2) == -2);
  CHECK(gain_of(kErrors, -2) == 2);
  const auto three = summarize(std::vector<double>{38.5, 39.1, 38.2});
  const auto below = target_p_value(kErrors, three, 38).value(),
             above = target_p_value(kBleu, three, 38).value();
  CHECK(below + above == Approx(1));

  auto report = small_report();
  report.score = kErrors;
  const auto before = score_noise(report).value();
  auto& row = report.rows[1];
  row.runs.push_back(row.runs[0]);
  row.runs[0].score = 253;  // more than ten times 25.25
  row.runs[1].score = 900;
  CHECK(score_noise(report)->deviation == before.deviation);
  report.score = kBleu;
  CHECK(score_noise(report)->deviation > before.deviation);
}
