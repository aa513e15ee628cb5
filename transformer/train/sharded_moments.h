// An optimiser's moments, or whatever it keeps, divided among processes (ZeRO, stage 1). Each process keeps
// those of some parameters, makes their step, and gives the others the outcome.
#pragma once

#include <cstdint>
#include <vector>

#include "transformer/distributed/collectives.h"
#include "transformer/train/optimizer.h"

namespace transformer::train {

/// Which process keeps the moments of each of these parameters, so that all keep about as many numbers.
std::vector<std::int64_t> moment_owners(const std::vector<torch::Tensor>& parameters, std::int64_t processes);

class ShardedMoments {
 public:
  /// The optimiser gives up what it keeps for other processes' parameters. Both are used as long as this
  /// lives. The parameters' data move: those that one process steps lie one behind another, so that it gives
  /// all of them at once.
  ShardedMoments(distributed::Collectives& others, Optimizer& optimizer);

  /// After a step: all processes have all parameters again.
  void share_parameters();

  /// Optimizer::state() with the others' moments, for rank 0; this process's own elsewhere. All processes
  /// call it.
  NamedTensors gather();

 private:
  void move_parameters();

  distributed::Collectives& others_;
  Optimizer& optimizer_;
  std::vector<std::int64_t> owners_;
  std::vector<torch::Tensor> of_owner_;  ///< all parameters of each process, flat
};

}  // namespace transformer::train
