// Metrics as reports speak of them.
#pragma once

#include <string>
#include <vector>

#include "transformer/eval/metric.h"
#include "transformer/report/report.h"
#include "transformer/report/watched_run.h"

namespace transformer::report {

Score judged_by(const eval::Metric& metric);

/// Of the metric that a configuration names so (train.metric). One that this program does not know, since it
/// came from outside, has that name, and more of it counts as better.
Score score_named(const std::string& name);

/// What these runs measure of the dev set besides loss and perplexity, each score once.
std::vector<Score> scores_of(const std::vector<WatchedRun>& runs);

}  // namespace transformer::report
