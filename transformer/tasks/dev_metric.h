// How good a model is on the dev set while it is trained.
#pragma once

#include "transformer/tasks/tasks.h"
#include "transformer/tasks/text_task.h"

namespace transformer::tasks {

/// train.metric; null where the configuration asks for none (train.metric_every). Throws InputError for a
/// metric that there is not, and for one of texts where the data are documents. Several processes share the
/// dev set and get the same number. If one is interrupted, all are.
TextTask::Measure dev_metric(const config::Experiment& experiment, const TaskSettings& settings);

}  // namespace transformer::tasks
