#include "transformer/train/optimizer_table.h"

#include "transformer/train/optimizers/adam.h"

namespace transformer::train {

std::unique_ptr<Optimizer> make_optimizer(NamedTensors parameters, const TrainOptions& options) {
  return std::make_unique<Adam>(std::move(parameters), options);
}

}  // namespace transformer::train
