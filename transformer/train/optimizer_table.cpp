#include "transformer/train/optimizer_table.h"

#include "transformer/train/optimizers/adam.h"
#include "transformer/train/optimizers/muon.h"
#include "transformer/train/optimizers/sgd.h"
#include "transformer/train/variant_parts.h"

namespace transformer::train {

std::unique_ptr<Optimizer> make_optimizer(NamedTensors parameters, const TrainOptions& options) {
  if (options.variants.optimizer) return make_outside_optimizer(std::move(parameters), options);
  switch (options.optimizer) {
    case OptimizerKind::adamw:
    case OptimizerKind::adam:
      return std::make_unique<Adam>(std::move(parameters), options);
    case OptimizerKind::sgd:
      return std::make_unique<Sgd>(std::move(parameters), options);
    case OptimizerKind::muon:
      return std::make_unique<Muon>(std::move(parameters), options);
  }
  no_such_choice();
}

void check_steps(const NamedTensors& parameters, const TrainOptions& options) {
  for (const auto& [kind, choice] : variants::chosen(options.variants)) variants::values_of(choice, kind);
  check_groups(parameters, options);
}

}  // namespace transformer::train
