// Metrics of predictions from their cross-entropy, never smoothed. Each token counts, the end's too.
#pragma once

#include "transformer/eval/metric.h"

namespace transformer::eval {

/// exp(-sum of log P(token) / number of tokens). The sum is kept in 1e-9 nats, since counts are whole
/// numbers. A probability of 0, or what is no number, makes it infinite.
Metric perplexity_metric();

// The same sum by units that do not depend on the vocabulary, so that models with different ones compare.
// They are infinite, too, of a text without such a unit.

/// -sum of log2 P(token) / number of characters, or of bytes.
Metric bits_per_character_metric();
Metric bits_per_byte_metric();
/// exp(-sum of log P(token) / number of words between blanks)
Metric word_perplexity_metric();

}  // namespace transformer::eval
