#include "transformer/eval/significance.h"

#include <cmath>
#include <filesystem>

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/eval/bleu.h"
#include "transformer/eval/chrf.h"

using namespace transformer::eval;

namespace {

/// A sentence of eight words with these numbers of matching 1-, 2-, 3- and 4-grams.
Counts sentence(const std::array<std::int64_t, bleu_order>& matches) {
  return to_counts(
      BleuCounts{.hypothesis_length = 8, .reference_length = 8, .matches = matches, .totals = {8, 7, 6, 5}});
}

const Metric kBleu = bleu_metric({});
const Metric kChrf = chrf_metric({});
const Counts kGood = sentence({8, 7, 6, 5});
const Counts kBad = sentence({4, 3, 2, 1});
const double kGoodScore = 100;
const double kBadScore = 100 * std::pow(4.0 * 3 * 2 * 1 / (8 * 7 * 6 * 5), 0.25);
const double kMixedScore = 100 * std::pow(12.0 * 10 * 8 * 6 / (16 * 14 * 12 * 10), 0.25);

Approx about(double value, double margin) {
  return Approx(value).margin(margin).epsilon(0);
}

using Run = std::vector<Counts>;

/// C's old rand(): the same numbers in every language.
class OldRandom {
 public:
  explicit OldRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ = (state_ * 1103515245 + 12345) % 2147483648;
    return state_ / 65536 % limit;
  }

 private:
  std::uint64_t state_;
};

/// 400 sentences of 6 to 20 words, always the same but for the `percent` of wrong words that `seed` chooses.
Sentences text(std::uint64_t seed, std::uint64_t percent) {
  OldRandom words(7), noise(seed);
  Sentences sentences;
  for (int i = 0; i < 400; ++i) {
    std::string line;
    for (int j = 0; j < 6 + i % 15; ++j) {
      const auto word = std::to_string(words.below(60));
      line += (j > 0 ? " " : "") + ((noise.below(100) < percent ? "x" : "word") + word);
    }
    sentences.push_back(line);
  }
  return sentences;
}

/// sacreBLEU resamples in single precision: BLEU's precisions, all of chrF.
double rounding(const Metric& metric) {
  return metric.name == "BLEU" ? 1e-5 : 1e-4;
}

void check_interval(const Metric& metric, const Runs& system, double mean, double half_width) {
  const auto interval = confidence_interval(metric, system);
  CHECK(interval.mean == about(mean, rounding(metric)));
  CHECK(interval.half_width == about(half_width, rounding(metric)));
}

void check_tests(const Metric& metric, const Runs& system, const Runs& baseline, double difference,
                 double bootstrap, double randomization) {
  const auto first = paired_bootstrap(metric, system, baseline);
  const auto second = paired_randomization(metric, system, baseline);
  CHECK(first.difference == about(difference, 1e-6));
  CHECK(second.difference == first.difference);
  CHECK(first.sacrebleu_p_value == about(bootstrap, 1e-9));
  CHECK(second.sacrebleu_p_value == about(randomization, 1e-9));
  CHECK(second.p_value == second.sacrebleu_p_value);
}

}  // namespace

TEST_CASE("the bootstrap draws two sentences as often as it should") {
  // Twice the first, both, or twice the second: in 1, 2 and 1 of 4 cases.
  const Runs system{{kGood, kBad}};
  CHECK(mean_score(kBleu, system) == Approx(kMixedScore));
  const auto interval = confidence_interval(kBleu, system);
  CHECK(interval.half_width == Approx((kGoodScore - kBadScore) / 2));
  CHECK(interval.mean == about((kGoodScore + 2 * kMixedScore + kBadScore) / 4, 3));
  CHECK(confidence_interval(kBleu, system, {.samples = 100000}).mean ==
        about((kGoodScore + 2 * kMixedScore + kBadScore) / 4, 0.3));
}

TEST_CASE("randomization of two sentences leaves the difference in half of the cases") {
  const Runs good{{kGood, kGood}}, bad{{kBad, kBad}};
  const auto found = paired_randomization(kBleu, good, bad);
  CHECK(found.difference == Approx(kGoodScore - kBadScore));
  CHECK(found.p_value == about(0.5, 0.02));
  CHECK(paired_randomization(kBleu, bad, good).p_value == found.p_value);
  CHECK(paired_randomization(kBleu, bad, good).difference == -found.difference);
}

TEST_CASE("equal systems differ by luck alone, very different ones by none") {
  const Run good(100, kGood), bad(100, kBad);
  CHECK(paired_bootstrap(kBleu, {good}, {good}).p_value == 1);
  CHECK(paired_randomization(kBleu, {good}, {good}).p_value == 1);
  CHECK(paired_randomization(kBleu, {good}, {good}).difference == 0);
  CHECK(paired_bootstrap(kBleu, {good}, {bad}).p_value == Approx(1.0 / 1001));
  CHECK(paired_randomization(kBleu, {good}, {bad}).p_value == Approx(1.0 / 10001));
}

TEST_CASE("a system of several runs has their mean score") {
  const Run good(20, kGood), bad(20, kBad);
  Run mixed = good;
  for (std::size_t i = 0; i < 10; ++i) mixed[i] = kBad;
  CHECK(mean_score(kBleu, {good, bad, mixed}) == Approx((kGoodScore + kBadScore + kMixedScore) / 3));

  SECTION("all runs have the same sentences in a sample") {
    const auto one = confidence_interval(kBleu, {mixed});
    const auto three = confidence_interval(kBleu, {mixed, mixed, mixed});
    CHECK(three.mean == Approx(one.mean));
    CHECK(three.half_width == Approx(one.half_width));
    CHECK(paired_bootstrap(kBleu, {mixed, mixed}, {mixed}).p_value == 1);
  }
  SECTION("runs that always differ by as much as the systems") {
    CHECK(paired_randomization(kBleu, {{kGood}, {kBad}}, {{kBad}, {kGood}}).p_value == 1);
  }
  SECTION("systems may have unequal numbers of runs") {
    // The bad translation is dealt to the baseline once in three times.
    const auto found = paired_randomization(kBleu, {{kGood}, {kGood}}, {{kBad}});
    CHECK(found.difference == Approx(kGoodScore - kBadScore));
    CHECK(found.p_value == about(1.0 / 3, 0.02));
    CHECK(paired_bootstrap(kBleu, {good, good}, {bad}).p_value == Approx(1.0 / 1001));
  }
}

TEST_CASE("the seed decides what is drawn, and nothing else does") {
  Run system;
  for (std::int64_t i = 0; i < 50; ++i) system.push_back(i % 3 == 0 ? kGood : kBad);
  const auto mean = [&](std::uint64_t seed) {
    return confidence_interval(kBleu, {system}, {.seed = seed}).mean;
  };
  CHECK(mean(1) == mean(1));
  CHECK(mean(1) != mean(2));
}

TEST_CASE("what cannot be compared is refused") {
  const Runs two{{kGood, kBad}}, one{{kGood}};
  REQUIRE_THROWS_WITH(paired_bootstrap(kBleu, two, one),
                      ContainsSubstring("expected 2 sentences in each run, found 1"));
  REQUIRE_THROWS_AS(confidence_interval(kBleu, {{kGood, kBad}, {kGood}}), transformer::InputError);
  REQUIRE_THROWS_AS(paired_randomization(kBleu, two, {}), transformer::InputError);
  REQUIRE_THROWS_AS(confidence_interval(kBleu, {}), transformer::InputError);
  REQUIRE_THROWS_AS(mean_score(kChrf, {{}}), transformer::InputError);
}

// sacreBLEU 2.6's figures of these texts, with its own seed, 12345.
TEST_CASE("intervals and p-values of a made text are sacreBLEU's") {
  const Sentences reference = text(1, 0);
  CHECK(reference[0] == "word4 word26 word8 word54 word11 word5");
  const auto bleu = [&](std::uint64_t seed, std::uint64_t percent) {
    return Runs{count_sentences(kBleu, {text(seed, percent), {reference}})};
  };
  const auto chrf = [&](std::uint64_t seed, std::uint64_t percent) {
    return Runs{count_sentences(kChrf, {text(seed, percent), {reference}})};
  };
  CHECK(mean_score(kBleu, bleu(2, 20)) == about(56.8530493378, 1e-8));
  CHECK(mean_score(kChrf, chrf(2, 20)) == about(80.0043285019, 1e-4));
  check_interval(kBleu, bleu(2, 20), 56.884306212, 1.987362820);
  check_interval(kBleu, bleu(3, 21), 56.486470171, 1.976399193);
  check_interval(kBleu, bleu(4, 22), 53.748948989, 1.919509851);
  check_interval(kChrf, chrf(2, 20), 80.003723145, 1.077148438);
  check_interval(kChrf, chrf(3, 21), 79.734489441, 0.998668671);
  check_interval(kChrf, chrf(4, 22), 78.280143738, 1.043502808);
  check_tests(kBleu, bleu(3, 21), bleu(2, 20), 56.4923339902 - 56.8530493378, 0.3086913086913087,
              0.8086191380861913);
  check_tests(kBleu, bleu(4, 22), bleu(2, 20), 53.7316087976 - 56.8530493378, 0.012987012987012988,
              0.029997000299970003);
  check_tests(kChrf, chrf(3, 21), chrf(2, 20), 79.7394310938 - 80.0043285019, 0.27672327672327673,
              0.7299270072992701);
  check_tests(kChrf, chrf(4, 22), chrf(2, 20), 78.2650963325 - 80.0043285019, 0.01098901098901099,
              0.023497650234976502);
}

// NumPy's choice with that seed, and sacreBLEU's scores of the samples.
TEST_CASE("the bootstrap's interval of a difference is that of the resampled differences") {
  const Sentences reference = text(1, 0);
  const auto bleu = [&](std::uint64_t seed, std::uint64_t percent) {
    return Runs{count_sentences(kBleu, {text(seed, percent), {reference}})};
  };
  const auto half_width = [&](const Runs& system) {
    return paired_bootstrap(kBleu, system, bleu(2, 20)).half_width;
  };
  CHECK(half_width(bleu(3, 21)) == about(2.7967460779739426, 1e-9));
  CHECK(half_width(bleu(4, 22)) == about(2.8214949588633687, 1e-9));
  CHECK(half_width(bleu(2, 20)) == 0);
}

// The same samples and scores, counted in NumPy.
TEST_CASE("the bootstrap's p-value looks at both sides, sacreBLEU's at one") {
  const Sentences reference = text(1, 0);
  const auto bleu = [&](std::uint64_t seed, std::uint64_t percent) {
    return Runs{count_sentences(kBleu, {text(seed, percent), {reference}})};
  };
  const auto clear = paired_bootstrap(kBleu, bleu(4, 22), bleu(2, 20));
  CHECK(clear.p_value == about(0.03296703296703297, 1e-9));
  CHECK(clear.sacrebleu_p_value == about(0.012987012987012988, 1e-9));
  CHECK(paired_bootstrap(kBleu, bleu(2, 20), bleu(4, 22)).p_value == clear.p_value);
  CHECK(paired_bootstrap(kBleu, bleu(3, 21), bleu(2, 20)).p_value == about(0.8291708291708292, 1e-9));
  CHECK(paired_bootstrap(kBleu, bleu(2, 20), bleu(2, 20)).p_value == 1);
}

// Outputs of real systems on WMT17 English-German, and sacreBLEU 2.6's figures of them with its own seed.
TEST_CASE("what each run has of its own with the sentences is told from what all have in common") {
  // A metric that is linear in the counts, for which the variance of a resampled mean is known.
  Metric mean;
  mean.score = [](std::span<const std::int64_t> counts) {
    return static_cast<double>(counts[0]) / static_cast<double>(counts[1]);
  };
  OldRandom random(3);
  const int sentences = 500;
  std::vector<double> common;
  for (int i = 0; i < sentences; ++i) common.push_back(static_cast<double>(random.below(1000)));
  double squares = 0;  // of what runs have of their own, summed over runs and sentences
  const auto runs = [&](int count) {
    Runs all(static_cast<std::size_t>(count));
    for (int i = 0; i < sentences; ++i) {
      double sum = 0;
      for (auto& run : all) {
        run.push_back({static_cast<std::int64_t>(common[static_cast<std::size_t>(i)]) +
                           static_cast<std::int64_t>(random.below(200)),
                       1});
        sum += static_cast<double>(run.back()[0]);
      }
      for (auto& run : all) {
        const double own = static_cast<double>(run.back()[0]) - sum / count;
        squares += own * own;
      }
    }
    return all;
  };
  const auto system = runs(3), baseline = runs(2);
  const auto found = paired_bootstrap(mean, system, baseline);
  const double variance = squares / sentences / (3 - 1 + 2 - 1) / sentences;  // of one run's mean
  CHECK(found.half_width_of_runs == Approx(1.96 * std::sqrt(variance * (1.0 / 3 + 1.0 / 2))).epsilon(0.05));
  // These systems differ in nothing else, so all of the interval comes from the variance over runs.
  CHECK(found.half_width == Approx(found.half_width_of_runs).epsilon(0.1));
  CHECK(paired_bootstrap(mean, {system[0]}, {baseline[0]}).half_width_of_runs == 0);
  CHECK(paired_bootstrap(mean, system, {baseline[0]}).half_width_of_runs > found.half_width_of_runs);
}

TEST_CASE("WMT17: intervals and p-values are sacreBLEU's") {
  const std::filesystem::path folder = SCORER_DATA;
  if (!std::filesystem::exists(folder / "ref.newstest2017.de")) {
    WARN("skipped: no ref.newstest2017.de in " << folder);
    return;
  }
  const auto corpus = [&](const std::string& system) {
    const auto read = [&](const std::string& name) {
      return transformer::read_lines(folder / name, nullptr, transformer::ByteOrderMark::keep);
    };
    return Corpus{read(system + ".en-de.txt"), {read("ref.newstest2017.de")}};
  };
  const auto fbk = corpus("FBK.4870"), lium = corpus("LIUM-NMT.4900"), systran = corpus("SYSTRAN.4847");
  const Runs fbk_bleu{count_sentences(kBleu, fbk)}, lium_bleu{count_sentences(kBleu, lium)},
      systran_bleu{count_sentences(kBleu, systran)};
  const Runs fbk_chrf{count_sentences(kChrf, fbk)}, lium_chrf{count_sentences(kChrf, lium)},
      systran_chrf{count_sentences(kChrf, systran)};
  check_interval(kBleu, fbk_bleu, 26.321809022, 0.655078101);
  check_interval(kBleu, lium_bleu, 26.599396008, 0.648288983);
  check_interval(kBleu, systran_bleu, 26.705446784, 0.664350288);
  check_interval(kChrf, fbk_chrf, 54.716243744, 0.483686447);
  check_interval(kChrf, lium_chrf, 55.930549622, 0.470418930);
  check_interval(kChrf, systran_chrf, 55.584224701, 0.461652756);
  check_tests(kBleu, lium_bleu, fbk_bleu, 26.5958046831 - 26.3316213125, 0.0979020979020979,
              0.18868113188681132);
  check_tests(kBleu, systran_bleu, lium_bleu, 26.7113122564 - 26.5958046831, 0.21178821178821178,
              0.6305369463053695);
  check_tests(kChrf, lium_chrf, fbk_chrf, 55.9283749034 - 54.7151875257, 0.000999000999000999,
              9.999000099990002e-05);
  check_tests(kChrf, systran_chrf, lium_chrf, 55.5757907059 - 55.9283749034, 0.012987012987012988,
              0.012898710128987101);
}
