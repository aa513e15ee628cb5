// Perplexity as a metric: exp of the mean cross-entropy of a token, never smoothed.
#pragma once

#include "transformer/eval/metric.h"

namespace transformer::eval {

/// exp(-sum of log P(token) / number of tokens). The sum is kept in 1e-9 nats, since counts are whole
/// numbers. A probability of 0, or what is no number, makes it infinite.
Metric perplexity_metric();

}  // namespace transformer::eval
