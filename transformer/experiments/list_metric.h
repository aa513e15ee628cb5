// The score by which the rows of a list are compared.
#pragma once

#include <filesystem>
#include <vector>

#include "transformer/eval/metric.h"
#include "transformer/experiments/experiment_list.h"

namespace transformer::experiments {

/// The metric of all experiments. Throws InputError where they differ in it, and for one that does not fit
/// their examples.
eval::Metric metric_of(const std::filesystem::path& file, const std::vector<Variation>& variations);

}  // namespace transformer::experiments
