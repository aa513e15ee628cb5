// How good a model is on the dev set while it is trained.
#pragma once

#include "transformer/config/experiment.h"
#include "transformer/distributed/group.h"
#include "transformer/train/translation_task.h"

namespace transformer::apps {

/// train.metric; null where the configuration asks for none (train.metric_every). Throws InputError for a
/// metric that there is not. Of several processes each looks at its share of the dev set, and all get the
/// same number; if one is interrupted, all are.
train::TranslationTask::Measure dev_metric(const config::Experiment& experiment, const torch::Device& device,
                                           torch::ScalarType precision, const std::atomic<bool>& interrupted,
                                           distributed::Group* group);

}  // namespace transformer::apps
