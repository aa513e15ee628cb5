// Sums over the updates of a benchmark.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bench/train.h"
#include "transformer/train/update.h"

namespace transformer::bench {

/// Adds up the updates after the warm-up. Speeds are taken over windows of two updates.
class Measured {
 public:
  void add(const train::UpdateResult& result, double took, double positions);
  double seconds() const { return seconds_; }
  bool has_window() const { return !windows_.empty(); }

  TrainSpeed speed() const;  ///< without the fields that are measured for the whole process

 private:
  std::vector<double> windows_;
  double tokens_ = 0, positions_ = 0, flops_ = 0, seconds_ = 0, window_tokens_ = 0, window_seconds_ = 0;
  train::PhaseSeconds phases_;
  std::int64_t updates_ = 0;
};

}  // namespace transformer::bench
