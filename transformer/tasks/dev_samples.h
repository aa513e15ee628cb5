// A few examples of the dev set with what the model makes of them while it is trained.
#pragma once

#include "transformer/tasks/tasks.h"
#include "transformer/tasks/text_task.h"

namespace transformer::tasks {

/// The first train.samples sentences of the dev set, translated greedily in the training's precision; null
/// where there are none, and where the data are documents.
TextTask::Show dev_samples(const config::Experiment& experiment, const TaskSettings& settings);

}  // namespace transformer::tasks
