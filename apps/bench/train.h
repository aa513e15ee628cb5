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
  std::string batches;  ///< a file to which the sentences of each update go, one update a line; empty: none
  bool prepare_next = true;  ///< the next update's batch is made while the device computes, as in a training
  /// One update more, after the measurement: traced into this file (profile.h), unless it is empty,
  std::string trace;
  bool mark = false;  ///< or marked for a profiler that listens
};

struct TrainSpeed {
  std::int64_t updates = 0;
  double seconds_per_update = 0;  ///< mean
  double tokens_per_second = 0;   ///< real target tokens, median over windows of two updates
  double least = 0, most = 0;     ///< of these windows, the 10th and the 90th of a hundred
  double flops_per_second = 0;    ///< of the model's products, three times the forward pass, real tokens only
  double gemm_peak = 0;           ///< FLOP/s of all processes, measured right after, in all at once
  double padding = 0;             ///< share of padding among all positions of both sides
  double peak_memory = 0;         ///< bytes: of the device, or of one process where that is the CPU
  train::PhaseSeconds phases;

  double share_of_peak() const { return flops_per_second / gemm_peak; }
};

TrainSpeed time_training(const data::Dataset& data, const TrainSettings& settings);

}  // namespace transformer::bench
