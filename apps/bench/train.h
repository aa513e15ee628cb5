// How fast a model trains: updates as transformer-train makes them.
#pragma once

#include <optional>
#include <string>

#include "apps/bench/shapes.h"
#include "transformer/data/dataset.h"
#include "transformer/distributed/group.h"
#include "transformer/train/update.h"

namespace transformer::bench {

struct TrainSettings {
  Shape shape;
  torch::Device device;
  torch::ScalarType precision = torch::kFloat;
  double seconds = 30;       ///< after the warm-up
  std::int64_t warmup = 12;  ///< batches, in at least two updates
  std::int64_t seed = 1;
  std::int64_t accumulate = 1;  ///< micro-batches of an update
  /// train.bucket_tokens, by which an update mixes lengths as in a training; nothing: each batch has like
  /// lengths.
  std::optional<std::int64_t> bucket_tokens = {};
  distributed::Group* group = nullptr;  ///< the processes that share each update, if there are several
  std::string batches;       ///< a file for the sentences of each update, one line per update; empty: none
  bool prepare_next = true;  ///< the next update's batch is made while the device computes, as in a training
  /// If not empty: one more update after the measurement, traced into this file (profile.h).
  std::string trace;
  bool mark = false;  ///< one more update after the measurement, marked for an attached profiler
};

struct TrainSpeed {
  std::int64_t updates = 0;
  double seconds_per_update = 0;  ///< mean
  double tokens_per_second = 0;   ///< median over windows of two updates; real target tokens
  double least = 0, most = 0;     ///< 10th and 90th percentile of these windows
  double flops_per_second = 0;    ///< the model's products for real tokens: three times the forward pass
  double gemm_peak = 0;           ///< FLOP/s of all processes at once, measured right afterwards
  double padding = 0;             ///< share of padding among all positions of both sides
  double peak_memory = 0;         ///< bytes of the device; on the CPU, of one process
  train::PhaseSeconds phases;

  double share_of_peak() const { return flops_per_second / gemm_peak; }
};

TrainSpeed time_training(const data::Dataset& data, const TrainSettings& settings);

}  // namespace transformer::bench
