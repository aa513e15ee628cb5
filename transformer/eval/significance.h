// Tests whether a difference between two translations may be chance: resampling of sentences (Koehn, 2004;
// Riezler and Maxwell, 2005), with sacreBLEU's methods, sizes and seed.
#pragma once

#include <cstdint>
#include <vector>

#include "transformer/eval/metric.h"

namespace transformer::eval {

/// A corpus score's 95 % interval.
struct Interval {
  double mean = 0;        ///< of the resampled scores
  double half_width = 0;  ///< half the distance between their 2.5th and 97.5th percentiles
};

/// A system against a baseline.
struct Comparison {
  double difference = 0;  ///< system - baseline
  double p_value = 1;     ///< how often chance gives a difference as large, in either direction
  double half_width = 0;  ///< half the width of the bootstrap's 95 % interval of the difference
  /// The part of half_width that differs from run to run of one system. The variance over seeds already
  /// contains it, so subtract its square before adding that variance. 0 unless this is a bootstrap and a
  /// system has several runs.
  double half_width_of_runs = 0;
  double sacrebleu_p_value = 1;  ///< sacreBLEU's: one-sided for the bootstrap, the same for the randomization
};

/// The sizes and the seed of the draws. The random numbers are those of sacreBLEU 2.6 with this
/// SACREBLEU_SEED (numpy_random.h). So for a system of one run, intervals and p-values equal sacreBLEU's to
/// about 1e-5, except with ties (see below). sacreBLEU resamples in single precision.
struct ResamplingOptions {
  int samples = 1000;          ///< of the bootstrap, at least 1
  int trials = 10000;          ///< of the randomization, at least 1
  std::uint64_t seed = 12345;  ///< each function starts from it
};

/// A system: the metric's counts of each sentence, [run][sentence]. Runs are trainings that differ only in
/// their seed; often there is one. The system's score is the mean of its runs' corpus scores. These functions
/// throw InputError if there is no run or no sentence, or if any two runs, also of different systems, have
/// different numbers of sentences.
using Runs = std::vector<std::vector<Counts>>;

double mean_score(const Metric& metric, const Runs& system);

/// Bootstrap: draws n of n sentences with replacement, the same ones for all runs. The time of this and the
/// following functions is proportional to draws · sentences · runs.
Interval confidence_interval(const Metric& metric, const Runs& system, const ResamplingOptions& options = {});

/// Paired bootstrap. Let d be the difference of the scores and dᵢ that of the i-th sample, which has the same
/// sentences of both systems. Then
///
///   p = (1 + number of i with |dᵢ - mean of all dᵢ| ≥ |d|) / (1 + samples).
///
/// sacreBLEU counts |dᵢ| - mean of all |dᵢ| > |d| instead. That is one side: for a clear difference about
/// half of p. Ties count as chance here, so equal systems have p = 1, where sacreBLEU has 1 / (1 + samples).
/// One sentence, whose samples are all equal, has p = 1, too.
Comparison paired_bootstrap(const Metric& metric, const Runs& system, const Runs& baseline,
                            const ResamplingOptions& options = {});

/// Paired approximate randomization. Each trial deals out the translations of each sentence at random among
/// all runs of both systems. With one run each, it swaps them with probability 1/2.
///
///   p = (1 + number of i with |dᵢ| ≥ |d|) / (1 + trials)
///
/// Ties count as chance, unlike in sacreBLEU.
Comparison paired_randomization(const Metric& metric, const Runs& system, const Runs& baseline,
                                const ResamplingOptions& options = {});

}  // namespace transformer::eval
