// What a translation is to be better than before anything is compared with it.
#pragma once

#include <vector>

#include "transformer/eval/metric.h"
#include "transformer/eval/significance.h"
#include "transformer/report/report.h"

namespace transformer::experiments {

/// An experiment's translations of the dev set, a text for each of its runs, beside what needs no training:
/// the source as it is, the references of other sentences, and its own translations of other sentences (half
/// a set away: neighbours may be alike). The last two only where there are several sentences.
std::vector<report::TrivialOutput> compare_with_trivial(const eval::Metric& metric,
                                                        const std::vector<eval::Sentences>& translations,
                                                        const eval::Sentences& sources,
                                                        const eval::Sentences& references);

}  // namespace transformer::experiments
