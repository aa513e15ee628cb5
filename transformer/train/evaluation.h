// How well a model predicts a data set: loss and perplexity.
#pragma once

#include <atomic>
#include <cstdint>

#include "transformer/train/task.h"

namespace transformer::train {

struct DataLoss {
  double loss = 0;        ///< label-smoothed, nats a target token
  double nll = 0;         ///< plain cross-entropy, nats a target token
  double perplexity = 0;  ///< exp(nll), a subword; never smoothed
  std::int64_t tokens = 0;
};

/// Over all examples, in evaluation mode; the module's mode is restored. Throws Interrupted between two
/// batches when the flag, where there is one, is set.
DataLoss evaluate_loss(Objective& objective, torch::ScalarType precision,
                       const std::atomic<bool>* interrupted = nullptr);

}  // namespace transformer::train
