// Outputs that need no training, for a baseline to be better than.
#pragma once

#include <vector>

#include "transformer/eval/metric.h"
#include "transformer/eval/significance.h"
#include "transformer/report/report.h"

namespace transformer::experiments {

/// Compares an experiment's translations of the dev set, a text for each run, with three such outputs: the
/// source as it is, the references of other sentences, and its own translations of other sentences. The other
/// sentence is half a set away, since neighbours may be alike. The last two need several sentences. None
/// where there are no translations.
std::vector<report::TrivialOutput> compare_with_trivial(const eval::Metric& metric,
                                                        const std::vector<eval::Sentences>& translations,
                                                        const eval::Sentences& sources,
                                                        const eval::Sentences& references);

}  // namespace transformer::experiments
