// What becomes of a few sentences of the dev set while a model is trained.
#pragma once

#include "transformer/config/experiment.h"
#include "transformer/train/translation_task.h"

namespace transformer::apps {

/// The first train.samples sentences by greedy search; null where the configuration asks for none.
train::TranslationTask::Show dev_samples(const config::Experiment& experiment, torch::ScalarType precision);

}  // namespace transformer::apps
