// How much is right, in per cent: of labels, or of the tokens that a model finds most probable.
#pragma once

#include "transformer/eval/metric.h"

namespace transformer::eval {

/// The share of the reference's labels that are right. Blanks are between the labels of a line, which is
/// compared place by place; a label more counts as one that is wrong. Of several references the best counts.
/// Of the options it heeds the case.
Metric accuracy_metric(const MetricOptions& options);

/// The share of tokens that are the most probable one at their place, given the text's tokens before it. The
/// end's counts.
Metric token_accuracy_metric();

}  // namespace transformer::eval
