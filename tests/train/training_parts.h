// All that a checkpoint is made of, with moments that are not zero.
#pragma once

#include "tests/checkpoints/reverse_task.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/tasks/text_task.h"
#include "transformer/train/checkpoint.h"
#include "transformer/train/optimizers/adam.h"

namespace transformer::test {

struct Training {
  config::Experiment experiment;
  tasks::TextTask task;
  models::EncoderDecoder model;
  train::Adam adam;
  train::TrainState state;

  explicit Training(const data::DataOptions& data, std::int64_t seed = 1)
      : experiment(tiny_experiment(data, seed)),
        task(experiment, torch::kCPU),
        model(models::as_encoder_decoder(task.model())),
        adam(checkpoints::named_parameters(model), experiment.train) {}

  train::TrainingParts parts() { return {task, adam, state, experiment}; }

  /// A step with random gradients.
  void step() {
    for (auto& value : model->parameters()) value.mutable_grad() = torch::randn_like(value);
    adam.step(0.001);
    ++state.step;
  }
};

inline bool equal_weights(const models::AnyModel& a, const models::AnyModel& b) {
  for (const auto& [name, weight] : checkpoints::named_parameters(a))
    if (!torch::equal(weight, b->named_parameters()[name])) return false;
  return true;
}

}  // namespace transformer::test
