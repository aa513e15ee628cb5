// How well a model predicts a data set: loss and perplexity.
#pragma once

#include <atomic>
#include <cstdint>

#include "transformer/distributed/collectives.h"
#include "transformer/train/task.h"

namespace transformer::train {

struct DataLoss {
  double loss = 0;        ///< label-smoothed, nats a target token
  double nll = 0;         ///< plain cross-entropy, nats a target token
  double perplexity = 0;  ///< exp(nll), a subword; never smoothed
  std::int64_t tokens = 0;
};

/// The loss over all examples, in evaluation mode; the module's mode is restored. Throws Interrupted between
/// two batches if the flag is given and set. With `others`, which have the same model and data, each process
/// computes some of the batches. Then all processes return the same numbers as a single one would. If one is
/// interrupted, all are.
DataLoss evaluate_loss(Objective& objective, torch::ScalarType precision,
                       const std::atomic<bool>* interrupted = nullptr,
                       distributed::Collectives* others = nullptr);

}  // namespace transformer::train
