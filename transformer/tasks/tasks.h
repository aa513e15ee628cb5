// Which task a configuration means: what is learnt from which data, and judged how. Here it is made, and
// nowhere else.
#pragma once

#include <atomic>
#include <memory>

#include "transformer/config/experiment.h"
#include "transformer/distributed/group.h"
#include "transformer/train/task.h"

namespace transformer::tasks {

struct TaskSettings {
  torch::Device device = torch::kCPU;
  torch::ScalarType precision = torch::kFloat;  ///< of what the dev set is judged by
  /// Once set, measuring the dev set and showing samples throw Interrupted.
  const std::atomic<bool>& interrupted;
  /// The processes that train together, if there are several: each looks at its share of the dev set.
  distributed::Group* group = nullptr;
};

/// data.examples says which: pairs make a translation, documents a language model. The dev set is judged by
/// train.metric, which for documents must be one of predictions. Throws InputError for a configuration, data
/// or a kind of model that do not fit together, and as TextTask does.
std::unique_ptr<train::Task> make(const config::Experiment& experiment, const TaskSettings& settings);

}  // namespace transformer::tasks
