// Numbers in the lines of metrics.jsonl.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace transformer::report {

/// The number under a key of a line, which is an object: NaN where there is none, as NaN is written as null.
/// An infinite perplexity is written as the largest number (train/measurements.h); earlier programs wrote
/// null, beside a loss that is a number.
double line_value(const nlohmann::json& line, const std::string& key);

}  // namespace transformer::report
