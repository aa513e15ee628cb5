// Which metrics there are. A new one is a file with a function like bleu_metric, and a row of the table in
// metric_table.cpp: programs, trainings (train.metric), lists of experiments, intervals and comparisons find
// it there. One from outside this project is added by a shared library (--load, docs/guides/variants.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/eval/metric.h"

namespace transformer::eval {

/// The names of the metrics of texts on command lines and in configurations, in the table's order: "bleu",
/// "chrf", ….
std::vector<std::string> metric_names();

/// Those of predictions, too: what a training and a list of experiments can be judged by.
std::vector<std::string> score_names();

/// The names as a sentence has them: "bleu, chrf or chrf++".
std::string list_metric_names();

/// The metric of texts that has that name. Throws InputError for another: "ORIGIN: expected bleu, …, found
/// '…'".
Metric find_metric(std::string_view name, const MetricOptions& options = {},
                   std::string_view origin = "metrics");

/// The same of all metrics.
Metric find_score(std::string_view name, std::string_view origin, const MetricOptions& options = {});

/// Makes a metric known, for programs that read their configuration later. Throws InputError for a name that
/// is there already, or that has other characters than small letters, digits, - and _.
void add_metric(const std::string& name, Metric metric);

}  // namespace transformer::eval
