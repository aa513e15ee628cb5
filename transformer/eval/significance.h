// Whether a difference between two translations may be luck: resampling of sentences (Koehn, 2004; Riezler
// and Maxwell, 2005), with sacreBLEU's methods, sizes and seed.
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
  double p_value = 1;     ///< how often a difference as large, in either direction, comes by chance
  double half_width = 0;  ///< of the bootstrap's 95 % interval: as above, of the resampled differences
  /// The part of half_width that differs from run to run of one system. The variance over seeds contains it,
  /// too: whoever adds that variance subtracts the square of this part. 0 unless a bootstrap compares systems
  /// of which one has several runs.
  double half_width_of_runs = 0;
  double sacrebleu_p_value =
      1;  ///< as sacreBLEU computes it: of the randomization the same, of the bootstrap one-sided
};

/// How much is drawn. The random numbers are those of sacreBLEU 2.6 with this SACREBLEU_SEED
/// (numpy_random.h), so for a system of one run intervals and p-values equal its to about 1e-5 (it resamples
/// in single precision), but for ties, below.
struct ResamplingOptions {
  int samples = 1000;          ///< of the bootstrap, at least 1
  int trials = 10000;          ///< of the randomization, at least 1
  std::uint64_t seed = 12345;  ///< used anew by each function
};

/// What is known of a system: each sentence's counts, [run][sentence]. Runs are trainings that differ in
/// nothing but their seed; often there is one. The system's score is the mean of its runs' corpus scores.
/// Here and below, the counts are the metric's, and InputError is thrown unless there is a run and a
/// sentence, and all runs, those of both systems, have equally many sentences.
using Runs = std::vector<std::vector<Counts>>;

double mean_score(const Metric& metric, const Runs& system);

/// Bootstrap: of n sentences, n are drawn with replacement, the same for all runs. Time for each of the
/// following: draws · sentences · runs.
Interval confidence_interval(const Metric& metric, const Runs& system, const ResamplingOptions& options = {});

/// Paired bootstrap: with d the difference of the scores and dᵢ that of the i-th sample, in which both
/// systems have the same sentences, p = (1 + number of i with |dᵢ - mean of all dᵢ| ≥ |d|) / (1 + samples).
/// sacreBLEU's p is of |dᵢ| - mean of all |dᵢ| ≥ |d| instead. That is one side: for a clear difference about
/// half of p. Where sacreBLEU has ">", ties count as chance here, so that equal systems have p = 1, not 1 /
/// (1 + samples).
Comparison paired_bootstrap(const Metric& metric, const Runs& system, const Runs& baseline,
                            const ResamplingOptions& options = {});

/// Paired approximate randomization: in each trial each sentence's translations, those of all runs of both
/// systems, are dealt out anew at random; with one run each, they are swapped with probability 1/2.
/// p = (1 + number of i with |dᵢ| ≥ |d|) / (1 + trials). Ties again count as chance, unlike sacreBLEU's.
Comparison paired_randomization(const Metric& metric, const Runs& system, const Runs& baseline,
                                const ResamplingOptions& options = {});

}  // namespace transformer::eval
