// Metrics that transformer-evaluate takes from a model's predictions rather than from its translations.
#pragma once

#include <string>
#include <vector>

#include "apps/common/program.h"
#include "transformer/eval/metrics.h"

namespace transformer::apps {

/// Loss and perplexity on a split ("train", "dev", "test") of the data set that the model's configuration
/// names (or --set data.prepared=…), or on a data set file. Throws InputError when there is none of it, or
/// when it was made with another vocabulary, or when an override concerns the model itself.
std::vector<eval::MetricResult> model_loss(const std::string& model, const std::string& data,
                                           const CommonOptions& common);

}  // namespace transformer::apps
