// How good a model is on the dev set while it is trained.
#pragma once

#include "transformer/config/experiment.h"
#include "transformer/distributed/group.h"
#include "transformer/train/translation_task.h"

namespace transformer::apps {

/// BLEU of beam search, with the configuration's decode options; null where the configuration asks for none
/// (train.bleu_every). Of several processes each translates its share of the dev set, and all get the same
/// number; if one is interrupted, all are.
train::TranslationTask::Measure dev_metric(const config::Experiment& experiment, const torch::Device& device,
                                           torch::ScalarType precision, const std::atomic<bool>& interrupted,
                                           distributed::Group* group);

}  // namespace transformer::apps
