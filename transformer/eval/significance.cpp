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
  std::size_t system_runs() const { return system_runs_; }

  void clear() { std::fill(sums_.begin(), sums_.end(), 0); }

  /// Counts run `from`'s translation of a sentence as a part of run `to`'s corpus.
  void add(std::size_t sentence, std::size_t from, std::size_t to) {
    const auto* numbers = numbers_.data() + (sentence * runs_ + from) * width_;
    auto* sum = sums_.data() + to * width_;
    for (std::size_t i = 0; i < width_; ++i) sum[i] += numbers[i];
  }

  std::vector<double> scores_of_runs() const {
    std::vector<double> scores;
    for (std::size_t run = 0; run < runs_; ++run)
      scores.push_back(metric_.score(std::span(sums_).subspan(run * width_, width_)));
    return scores;
  }

  /// Means over the runs.
  Scores means(std::span<const double> of_runs) const {
    return {mean(of_runs.first(system_runs_)), mean(of_runs.subspan(system_runs_))};
  }

  Scores scores() const { return means(scores_of_runs()); }

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

  static double mean(std::span<const double> scores) {
    if (scores.empty()) return 0;
    return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  }

  const Metric& metric_;
  std::size_t system_runs_, runs_, sentences_ = 0, width_ = 0;
  std::vector<std::int64_t> numbers_;  // [sentence][run][width]
  std::vector<std::int64_t> sums_;     // [run][width]
};

/// [sample][run]
std::vector<std::vector<double>> bootstrap(Pool& pool, const ResamplingOptions& options) {
  NumpyRandom random(options.seed);
  std::vector<std::vector<double>> scores;
  for (int sample = 0; sample < options.samples; ++sample) {
    pool.clear();
    for (std::size_t i = 0; i < pool.sentences(); ++i) {
      const auto sentence = random.below(pool.sentences());
      for (std::size_t run = 0; run < pool.runs(); ++run) pool.add(sentence, run, run);
    }
    scores.push_back(pool.scores_of_runs());
  }
  return scores;
}

/// The sum over runs of the variance, over bootstrap samples, of a run's difference from the mean of the
/// runs. scores: [sample][run]; the runs are begin … end - 1.
double squares_of_own_luck(const std::vector<std::vector<double>>& scores, std::size_t begin,
                           std::size_t end) {
  const auto runs = end - begin;
  std::vector<double> sums(runs), squares(runs);
  for (const auto& all : scores) {
    const auto own = std::span(all).subspan(begin, runs);
    const double mean = std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(runs);
    for (std::size_t run = 0; run < runs; ++run) {
      sums[run] += own[run] - mean;
      squares[run] += (own[run] - mean) * (own[run] - mean);
    }
  }
  const auto samples = static_cast<double>(scores.size());
  double total = 0;
  for (std::size_t run = 0; run < runs; ++run)
    total += squares[run] / samples - sums[run] / samples * (sums[run] / samples);
  return total;
}

/// Comparison::half_width_of_runs. That of n runs is (n - 1) times the variance of one.
double half_width_of_runs(const Pool& pool, const std::vector<std::vector<double>>& scores) {
  constexpr double kNormal = 1.959964;  // 97.5 % of the normal distribution lie below
  const auto ours = pool.system_runs(), theirs = pool.runs() - ours;
  if (pool.runs() == 2) return 0;
  const double squares =
      squares_of_own_luck(scores, 0, ours) + squares_of_own_luck(scores, ours, pool.runs());
  const double variance = squares / static_cast<double>(pool.runs() - 2);
  return kNormal * std::sqrt(variance * (1 / static_cast<double>(ours) + 1 / static_cast<double>(theirs)));
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

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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
  for (const auto& of_runs : bootstrap(pool, options)) scores.push_back(pool.means(of_runs).first);
  const double mean = mean_of(scores);
  return {mean, half_width(std::move(scores))};
}

Comparison paired_bootstrap(const Metric& metric, const Runs& system, const Runs& baseline,
                            const ResamplingOptions& options) {
  auto pool = pool_both(metric, system, baseline);
  const auto [ours, theirs] = pool.scores_of_all();
  const double difference = ours - theirs;
  std::vector<double> differences, sizes;
  const auto scores = bootstrap(pool, options);
  for (const auto& of_runs : scores) {
    const auto [a, b] = pool.means(of_runs);
    differences.push_back(a - b);
    sizes.push_back(std::abs(a - b));
  }
  const double middle = mean_of(differences), mean_size = mean_of(sizes);
  const auto both_sides = std::ranges::count_if(
      differences, [&](double other) { return as_large(std::abs(other - middle), difference); });
  const auto one_side =
      std::ranges::count_if(sizes, [&](double size) { return as_large(size - mean_size, difference); });
  // All samples of one sentence are that sentence: they do not show how it could vary.
  const double two_sided = pool.sentences() > 1 ? p_value(both_sides, sizes.size()) : 1.0;
  return {.difference = difference,
          .p_value = two_sided,
          .half_width = half_width(std::move(differences)),
          .half_width_of_runs = half_width_of_runs(pool, scores),
          .sacrebleu_p_value = p_value(one_side, sizes.size())};
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
  const double found = p_value(count, static_cast<std::size_t>(options.trials));
  return {.difference = difference, .p_value = found, .sacrebleu_p_value = found};
}

}  // namespace transformer::eval
