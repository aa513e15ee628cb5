// What transformer-evaluate prints.
#pragma once

#include <vector>

#include "transformer/eval/metrics.h"

namespace transformer::apps {

/// Prints a line for each result, another one where it is compared with a baseline, and one for each group of
/// lengths; or all as one list of JSON objects.
void print_results(const std::vector<eval::MetricResult>& results, bool as_json);

}  // namespace transformer::apps
