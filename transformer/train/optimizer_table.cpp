#include "transformer/train/optimizer_table.h"

#include "transformer/train/optimizers/adam.h"
#include "transformer/train/optimizers/sgd.h"

namespace transformer::train {

std::unique_ptr<Optimizer> make_optimizer(NamedTensors parameters, const TrainOptions& options) {
  switch (options.optimizer) {
    case OptimizerKind::adamw:
    case OptimizerKind::adam:
      return std::make_unique<Adam>(std::move(parameters), options);
    case OptimizerKind::sgd:
      return std::make_unique<Sgd>(std::move(parameters), options);
  }
  no_such_choice();
}

}  // namespace transformer::train
