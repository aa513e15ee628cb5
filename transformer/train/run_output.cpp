#include "transformer/train/run_output.h"

#include <utility>

namespace transformer::train {

RunOutput::RunOutput(const checkpoints::RunDirectory& run, const Task& task,
                     const config::Experiment& experiment, const TrainState& state)
    : metrics_(run.metrics(), state.step, state.evaluated), writer_([&, this](Snapshot snapshot) {
        metrics_.sync();  // before a checkpoint claims its step
        save_checkpoint(run, task, experiment, std::move(snapshot), experiment.train.keep);
      }) {}

}  // namespace transformer::train
