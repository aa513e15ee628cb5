#include "transformer/train/run_output.h"

#include <utility>

#include "transformer/base/time_of_day.h"

namespace transformer::train {

RunOutput::RunOutput(const checkpoints::RunDirectory& run, const Task& task,
                     const config::Experiment& experiment, const TrainState& state)
    : metrics_(run.metrics(), state.step, state.evaluated),
      samples_(run.samples(), state.step, state.evaluated),
      writer_([&, this](Snapshot snapshot) {
        metrics_.sync();  // before a checkpoint claims its step
        samples_.sync();
        save_checkpoint(run, task, experiment, std::move(snapshot), experiment.train.keep);
      }) {
  if (experiment.train.tensorboard)
    tensorboard_.emplace(run.tensorboard(), std::vector{run.metrics(), run.samples()}, time_of_day());
}

void RunOutput::write(const Metrics& line) {
  write(metrics_, to_line(line));
}

void RunOutput::write_samples(Task& task, std::int64_t step) {
  task.module().eval();
  std::size_t number = 0;
  for (auto& sample : task.samples())
    write(samples_,
          to_line(SampleLine{
              .step = step, .number = ++number, .sample = std::move(sample), .time = time_of_day()}));
}

void RunOutput::write(StepLines& file, const std::string& line) {
  file.write(line);
  if (tensorboard_) tensorboard_->add(line);
}

}  // namespace transformer::train
