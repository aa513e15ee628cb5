// Which metrics there are. A new one is a file with a function like bleu_metric, and a row of the table in
// metric_table.cpp: programs, the training's dev metric, intervals and comparisons find it there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/eval/metric.h"

namespace transformer::eval {

/// The names of the metrics on command lines and in configurations, in the table's order: "bleu", "chrf", ….
const std::vector<std::string>& metric_names();

/// The names as a sentence has them: "bleu, chrf or chrf++".
std::string list_metric_names();

/// The metric of that name. Throws InputError for an unknown one: "ORIGIN: expected bleu, …, found '…'".
Metric find_metric(std::string_view name, const MetricOptions& options = {},
                   std::string_view origin = "metrics");

}  // namespace transformer::eval
