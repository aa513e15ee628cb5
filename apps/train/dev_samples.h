// What becomes of a few sentences of the dev set while a model is trained.
#pragma once

#include <atomic>

#include "transformer/config/experiment.h"
#include "transformer/train/translation_task.h"

namespace transformer::apps {

/// The first train.samples sentences by greedy search; null where the configuration asks for none. It throws
/// Interrupted once `interrupted`, which must outlive it, is set.
train::TranslationTask::Show dev_samples(const config::Experiment& experiment, torch::ScalarType precision,
                                         const std::atomic<bool>& interrupted);

}  // namespace transformer::apps
