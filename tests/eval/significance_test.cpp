#include "transformer/eval/significance.h"

#include <cmath>
#include <filesystem>

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

using namespace transformer::eval;

namespace {

/// A sentence of eight words, of which so many 1-, 2-, 3- and 4-grams are right.
BleuCounts sentence(const std::array<std::int64_t, bleu_order>& matches) {
  return {.hypothesis_length = 8, .reference_length = 8, .matches = matches, .totals = {8, 7, 6, 5}};
}

const BleuCounts kGood = sentence({8, 7, 6, 5});
const BleuCounts kBad = sentence({4, 3, 2, 1});
const double kGoodScore = 100;
const double kBadScore = 100 * std::pow(4.0 * 3 * 2 * 1 / (8 * 7 * 6 * 5), 0.25);
const double kMixedScore = 100 * std::pow(12.0 * 10 * 8 * 6 / (16 * 14 * 12 * 10), 0.25);

Approx about(double value, double margin) {
  return Approx(value).margin(margin).epsilon(0);
}

using Counts = std::vector<BleuCounts>;

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

template <typename Counts>
void check_interval(const Runs<Counts>& system, double mean, double half_width, double margin) {
  const auto interval = confidence_interval(system);
  CHECK(interval.mean == about(mean, margin));
  CHECK(interval.half_width == about(half_width, margin));
}

template <typename Counts>
void check_tests(const Runs<Counts>& system, const Runs<Counts>& baseline, double difference,
                 double bootstrap, double randomization) {
  const auto first = paired_bootstrap(system, baseline);
  const auto second = paired_randomization(system, baseline);
  CHECK(first.difference == about(difference, 1e-4));
  CHECK(second.difference == first.difference);
  // Both sides have drawn at random: five standard deviations of each.
  const auto margin = [](double p, double draws) { return 7 * std::sqrt(p * (1 - p) / draws) + 0.001; };
  CHECK(first.p_value == about(bootstrap, margin(bootstrap, 1000)));
  CHECK(second.p_value == about(randomization, margin(randomization, 10000)));
}

}  // namespace

TEST_CASE("the bootstrap draws two sentences as often as it should") {
  // Twice the first, both, or twice the second: in 1, 2 and 1 of 4 cases.
  const Runs<BleuCounts> system{{kGood, kBad}};
  CHECK(mean_score(system) == Approx(kMixedScore));
  const auto interval = confidence_interval(system);
  CHECK(interval.half_width == Approx((kGoodScore - kBadScore) / 2));
  CHECK(interval.mean == about((kGoodScore + 2 * kMixedScore + kBadScore) / 4, 3));
  CHECK(confidence_interval(system, {.samples = 100000}).mean ==
        about((kGoodScore + 2 * kMixedScore + kBadScore) / 4, 0.3));
}

TEST_CASE("randomization of two sentences leaves the difference in half of the cases") {
  const Runs<BleuCounts> good{{kGood, kGood}}, bad{{kBad, kBad}};
  const auto found = paired_randomization(good, bad);
  CHECK(found.difference == Approx(kGoodScore - kBadScore));
  CHECK(found.p_value == about(0.5, 0.02));
  CHECK(paired_randomization(bad, good).p_value == found.p_value);
  CHECK(paired_randomization(bad, good).difference == -found.difference);
}

TEST_CASE("equal systems differ by luck alone, very different ones by none") {
  const Counts good(100, kGood), bad(100, kBad);
  CHECK(paired_bootstrap<BleuCounts>({good}, {good}).p_value == 1);
  CHECK(paired_randomization<BleuCounts>({good}, {good}).p_value == 1);
  CHECK(paired_randomization<BleuCounts>({good}, {good}).difference == 0);
  CHECK(paired_bootstrap<BleuCounts>({good}, {bad}).p_value == Approx(1.0 / 1001));
  CHECK(paired_randomization<BleuCounts>({good}, {bad}).p_value == Approx(1.0 / 10001));
}

TEST_CASE("a system of several runs has their mean score") {
  const Counts good(20, kGood), bad(20, kBad);
  Counts mixed = good;
  for (std::size_t i = 0; i < 10; ++i) mixed[i] = kBad;
  CHECK(mean_score<BleuCounts>({good, bad, mixed}) == Approx((kGoodScore + kBadScore + kMixedScore) / 3));

  SECTION("all runs have the same sentences in a sample") {
    const auto one = confidence_interval<BleuCounts>({mixed});
    const auto three = confidence_interval<BleuCounts>({mixed, mixed, mixed});
    CHECK(three.mean == Approx(one.mean));
    CHECK(three.half_width == Approx(one.half_width));
    CHECK(paired_bootstrap<BleuCounts>({mixed, mixed}, {mixed}).p_value == 1);
  }
  SECTION("runs that always differ by as much as the systems") {
    CHECK(paired_randomization<BleuCounts>({{kGood}, {kBad}}, {{kBad}, {kGood}}).p_value == 1);
  }
  SECTION("systems may have unequal numbers of runs") {
    // The bad translation is dealt to the baseline once in three times.
    const auto found = paired_randomization<BleuCounts>({{kGood}, {kGood}}, {{kBad}});
    CHECK(found.difference == Approx(kGoodScore - kBadScore));
    CHECK(found.p_value == about(1.0 / 3, 0.02));
    CHECK(paired_bootstrap<BleuCounts>({good, good}, {bad}).p_value == Approx(1.0 / 1001));
  }
}

TEST_CASE("the seed decides what is drawn, and nothing else does") {
  Counts system;
  for (std::int64_t i = 0; i < 50; ++i) system.push_back(i % 3 == 0 ? kGood : kBad);
  const auto mean = [&](std::uint64_t seed) {
    return confidence_interval<BleuCounts>({system}, {.seed = seed}).mean;
  };
  CHECK(mean(1) == mean(1));
  CHECK(mean(1) != mean(2));
}

TEST_CASE("what cannot be compared is refused") {
  const Runs<BleuCounts> two{{kGood, kBad}}, one{{kGood}};
  REQUIRE_THROWS_WITH(paired_bootstrap(two, one),
                      ContainsSubstring("expected 2 sentences in each run, found 1"));
  REQUIRE_THROWS_AS(confidence_interval<BleuCounts>({{kGood, kBad}, {kGood}}), transformer::InputError);
  REQUIRE_THROWS_AS(paired_randomization(two, {}), transformer::InputError);
  REQUIRE_THROWS_AS(confidence_interval<BleuCounts>({}), transformer::InputError);
  REQUIRE_THROWS_AS(mean_score<ChrfCounts>({{}}), transformer::InputError);
}

// sacreBLEU 2.6's figures of these texts. Its intervals are the mean of ten seeds, its p-values of five.
TEST_CASE("intervals and p-values of a made text are sacreBLEU's") {
  const Sentences reference = text(1, 0);
  CHECK(reference[0] == "word4 word26 word8 word54 word11 word5");
  const auto bleu = [&](std::uint64_t seed, std::uint64_t percent) {
    return Runs<BleuCounts>{bleu_counts({text(seed, percent), {reference}})};
  };
  const auto chrf = [&](std::uint64_t seed, std::uint64_t percent) {
    return Runs<ChrfCounts>{chrf_counts({text(seed, percent), {reference}})};
  };
  CHECK(mean_score(bleu(2, 20)) == about(56.8530493378, 1e-8));
  CHECK(mean_score(chrf(2, 20)) == about(80.0043285019, 1e-4));
  check_interval(bleu(2, 20), 56.849, 2.052, 0.2);
  check_interval(bleu(3, 21), 56.497, 2.079, 0.2);
  check_interval(bleu(4, 22), 53.732, 1.966, 0.2);
  check_interval(chrf(2, 20), 80.006, 1.041, 0.1);
  check_interval(chrf(3, 21), 79.742, 1.050, 0.1);
  check_interval(chrf(4, 22), 78.266, 1.029, 0.1);
  check_tests(bleu(3, 21), bleu(2, 20), 56.492334 - 56.853049, 0.3023, 0.8072);
  check_tests(bleu(4, 22), bleu(2, 20), 53.731609 - 56.853049, 0.0156, 0.0321);
  check_tests(chrf(3, 21), chrf(2, 20), 79.739431 - 80.004329, 0.2569, 0.7201);
  check_tests(chrf(4, 22), chrf(2, 20), 78.265096 - 80.004329, 0.0112, 0.0219);
}

// Outputs of real systems on WMT17 English-German, and sacreBLEU 2.6's figures of them with its own seed.
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
  const Runs<BleuCounts> fbk_bleu{bleu_counts(fbk)}, lium_bleu{bleu_counts(lium)},
      systran_bleu{bleu_counts(systran)};
  const Runs<ChrfCounts> fbk_chrf{chrf_counts(fbk)}, lium_chrf{chrf_counts(lium)},
      systran_chrf{chrf_counts(systran)};
  check_interval(fbk_bleu, 26.322, 0.655, 0.1);
  check_interval(lium_bleu, 26.599, 0.648, 0.1);
  check_interval(systran_bleu, 26.705, 0.664, 0.1);
  check_interval(fbk_chrf, 54.716, 0.484, 0.1);
  check_interval(lium_chrf, 55.931, 0.470, 0.1);
  check_interval(systran_chrf, 55.584, 0.462, 0.1);
  check_tests(lium_bleu, fbk_bleu, 26.595805 - 26.331567, 0.0979, 0.1887);
  check_tests(systran_bleu, lium_bleu, 26.711312 - 26.595805, 0.2118, 0.6305);
  check_tests(systran_chrf, lium_chrf, 55.575791 - 55.928375, 0.0130, 0.0129);
}
