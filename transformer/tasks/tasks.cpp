#include "transformer/tasks/tasks.h"

#include "transformer/tasks/dev_metric.h"
#include "transformer/tasks/dev_samples.h"
#include "transformer/tasks/text_task.h"

namespace transformer::tasks {

std::unique_ptr<train::Task> make(const config::Experiment& experiment, const TaskSettings& settings) {
  return std::make_unique<TextTask>(experiment, settings.device, dev_metric(experiment, settings),
                                    dev_samples(experiment, settings));
}

}  // namespace transformer::tasks
