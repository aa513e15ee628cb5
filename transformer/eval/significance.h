// Whether a difference between two translations may be luck: resampling of sentences (Koehn, 2004; Riezler and
// Maxwell, 2005), with sacreBLEU's methods, sizes and seed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "transformer/eval/bleu.h"
#include "transformer/eval/chrf.h"

namespace transformer::eval {

/// A corpus score's 95 % interval.
struct Interval {
  double mean = 0;        ///< of the resampled scores
  double half_width = 0;  ///< half the distance between their 2.5th and 97.5th percentiles
};

/// A system against a baseline.
struct Comparison {
  double difference = 0;  ///< system - baseline
  double p_value = 1;     ///< two-sided: how often a difference as large comes by chance
};
}  // namespace transformer::eval
