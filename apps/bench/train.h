// How fast a model trains: updates of one micro-batch each, as transformer-train makes them.
#pragma once

#include <string>

#include "apps/bench/shapes.h"
#include "transformer/data/dataset.h"
#include "transformer/train/update.h"

namespace transformer::bench {

struct TrainSettings {
  Shape shape;
  torch::Device device;
  torch::ScalarType precision = torch::kFloat;
  double seconds = 30;       ///< after the warm-up
  std::int64_t warmup = 12;  ///< updates
  std::int64_t seed = 1;
  std::string batches;  ///< a file to which the sentences of each update go, one update a line; empty: none
};

struct TrainSpeed {
  std::int64_t updates = 0;
  double tokens_per_second = 0;  ///< real target tokens, median over windows of two updates
  double least = 0, most = 0;    ///< of these windows, the 10th and the 90th of a hundred
  double flops_per_second = 0;   ///< of the model's products, three times the forward pass, real tokens only
  double gemm_peak = 0;          ///< FLOP/s, measured right after
  double padding = 0;            ///< share of padding among all positions of both sides
  double peak_memory = 0;        ///< bytes: of the device, or of the process where that is the CPU
  train::PhaseSeconds phases;

  double share_of_peak() const { return flops_per_second / gemm_peak; }
};

TrainSpeed time_training(const data::Dataset& data, const TrainSettings& settings);

}  // namespace transformer::bench
