#include "transformer/eval/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/eval/numpy_random.h"

namespace transformer::eval {
namespace {

/// The counts of all runs of one or two systems, side by side, which are quickly added.
class Pool {
 public:
  using Scores = std::pair<double, double>;  ///< of the system and of the baseline, 0 where there is none

  Pool(const Metric& metric, const Runs& system, const Runs& baseline)
      : metric_(metric), system_runs_(system.size()), runs_(system.size() + baseline.size()) {
    if (!system.empty()) sentences_ = system.front().size();
    if (sentences_ == 0) throw InputError("expected runs with at least one sentence, found none");
    width_ = system.front().front().size();
    numbers_.resize(sentences_ * runs_ * width_);
    sums_.resize(runs_ * width_);
    std::size_t place = 0;
    for (const auto* runs : {&system, &baseline})
      for (const auto& run : *runs) take(run, place++);
  }

  std::size_t sentences() const { return sentences_; }
  std::size_t runs() const { return runs_; }

  void clear() { std::fill(sums_.begin(), sums_.end(), 0); }

  /// Counts run `from`'s translation of a sentence as a part of run `to`'s corpus.
  void add(std::size_t sentence, std::size_t from, std::size_t to) {
    const auto* numbers = numbers_.data() + (sentence * runs_ + from) * width_;
    auto* sum = sums_.data() + to * width_;
    for (std::size_t i = 0; i < width_; ++i) sum[i] += numbers[i];
  }

  Scores scores() const { return {mean(0, system_runs_), mean(system_runs_, runs_)}; }

  Scores scores_of_all() {
    clear();
    for (std::size_t sentence = 0; sentence < sentences_; ++sentence)
      for (std::size_t run = 0; run < runs_; ++run) add(sentence, run, run);
    return scores();
  }

 private:
  void take(const std::vector<Counts>& run, std::size_t place) {
    if (run.size() != sentences_)
      throw InputError(
          fmt::format("expected {} sentences in each run, found {} in one", sentences_, run.size()));
    for (std::size_t i = 0; i < sentences_; ++i)
      std::copy_n(run[i].begin(), width_, numbers_.data() + (i * runs_ + place) * width_);
  }

  double mean(std::size_t begin, std::size_t end) const {
    if (begin == end) return 0;
    double sum = 0;
    for (auto run = begin; run < end; ++run)
      sum += metric_.score(std::span(sums_).subspan(run * width_, width_));
    return sum / static_cast<double>(end - begin);
  }

  const Metric& metric_;
  std::size_t system_runs_, runs_, sentences_ = 0, width_ = 0;
  std::vector<std::int64_t> numbers_;  // [sentence][run][width]
  std::vector<std::int64_t> sums_;     // [run][width]
};

std::vector<Pool::Scores> bootstrap(Pool& pool, const ResamplingOptions& options) {
  NumpyRandom random(options.seed);
  std::vector<Pool::Scores> scores;
  for (int sample = 0; sample < options.samples; ++sample) {
    pool.clear();
    for (std::size_t i = 0; i < pool.sentences(); ++i) {
      const auto sentence = random.below(pool.sentences());
      for (std::size_t run = 0; run < pool.runs(); ++run) pool.add(sentence, run, run);
    }
    scores.push_back(pool.scores());
  }
  return scores;
}

Pool pool_both(const Metric& metric, const Runs& system, const Runs& baseline) {
  if (baseline.empty()) throw InputError("expected a baseline with at least one run, found none");
  return {metric, system, baseline};
}

/// Says of each sentence to which run each run's translation goes.
class Dealer {
 public:
  Dealer(std::size_t runs, std::uint64_t seed) : random_(seed), places_(runs) {
    std::iota(places_.begin(), places_.end(), std::size_t{0});
  }

  const std::vector<std::size_t>& next() {
    if (places_.size() == 2) {  // sacreBLEU's case, which it decides by truth values
      places_[0] = random_.coin() ? 1 : 0;
      places_[1] = 1 - places_[0];
      return places_;
    }
    for (auto last = places_.size() - 1; last > 0; --last)
      std::swap(places_[last], places_[random_.below(last + 1)]);
    return places_;
  }

 private:
  NumpyRandom random_;
  std::vector<std::size_t> places_;
};

/// Whether chance did as much, whatever the last bits of a mean over runs are.
bool as_large(double chance, double difference) {
  return chance >= std::abs(difference) - 1e-9;
}

/// Half the distance between the 2.5th and the 97.5th percentile.
double half_width(std::vector<double> scores) {
  std::ranges::sort(scores);
  const auto outside = scores.size() / 40;
  return (scores[scores.size() - outside - 1] - scores[outside]) / 2;
}

/// How often chance did it: `count` times in `draws`, and once more, since what was seen is possible, too.
double p_value(std::ptrdiff_t count, std::size_t draws) {
  return (static_cast<double>(count) + 1) / (static_cast<double>(draws) + 1);
}

}  // namespace

double mean_score(const Metric& metric, const Runs& system) {
  return Pool(metric, system, {}).scores_of_all().first;
}

Interval confidence_interval(const Metric& metric, const Runs& system, const ResamplingOptions& options) {
  Pool pool(metric, system, {});
  std::vector<double> scores;
  for (const auto& [score, ignored] : bootstrap(pool, options)) scores.push_back(score);
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  return {sum / static_cast<double>(scores.size()), half_width(std::move(scores))};
}

Comparison paired_bootstrap(const Metric& metric, const Runs& system, const Runs& baseline,
                            const ResamplingOptions& options) {
  auto pool = pool_both(metric, system, baseline);
  const auto [ours, theirs] = pool.scores_of_all();
  const double difference = ours - theirs;
  std::vector<double> differences, sizes;
  for (const auto& [a, b] : bootstrap(pool, options)) {
    differences.push_back(a - b);
    sizes.push_back(std::abs(a - b));
  }
  const double mean = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
  const auto count =
      std::ranges::count_if(sizes, [&](double other) { return as_large(other - mean, difference); });
  return {difference, p_value(count, sizes.size()), half_width(std::move(differences))};
}

Comparison paired_randomization(const Metric& metric, const Runs& system, const Runs& baseline,
                                const ResamplingOptions& options) {
  auto pool = pool_both(metric, system, baseline);
  const auto [ours, theirs] = pool.scores_of_all();
  const double difference = ours - theirs;
  Dealer dealer(pool.runs(), options.seed);
  std::ptrdiff_t count = 0;
  for (int trial = 0; trial < options.trials; ++trial) {
    pool.clear();
    for (std::size_t sentence = 0; sentence < pool.sentences(); ++sentence) {
      const auto& places = dealer.next();
      for (std::size_t run = 0; run < places.size(); ++run) pool.add(sentence, run, places[run]);
    }
    const auto [a, b] = pool.scores();
    if (as_large(std::abs(a - b), difference)) ++count;
  }
  return {.difference = difference, .p_value = p_value(count, static_cast<std::size_t>(options.trials))};
}

}  // namespace transformer::eval
