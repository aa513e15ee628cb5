// The micro-batches of a training's first epoch, from which it is told beforehand what the training takes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "transformer/train/task.h"

namespace transformer::train {

struct FirstEpoch {
  FirstEpoch(const Objective& objective, std::int64_t seed);

  std::shared_ptr<const Examples> examples;
  std::vector<Examples::MicroBatch> micro_batches;
  double updates = 0;
  double source_tokens = 0, target_tokens = 0;  ///< real ones, of the whole epoch
  Examples::MicroBatch largest;                 ///< the one of most tokens, padding included
  data::BatchSize largest_size;
};

}  // namespace transformer::train
