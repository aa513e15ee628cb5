// How results are shown: a line for a person, or an object for a program.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/bench/decode.h"
#include "apps/bench/gemm.h"
#include "apps/bench/train.h"

namespace transformer::bench {

using Json = nlohmann::ordered_json;

Json as_json(const GemmSpeed& speed);
Json as_json(const TrainSpeed& speed, const std::string& shape, const TrainSettings& settings);
Json as_json(const DecodeTimings& timings);

std::string as_text(const GemmSpeed& speed);
std::string as_text(const TrainSpeed& speed, const std::string& shape, const TrainSettings& settings);
std::string as_text(const DecodeTimings& timings);

}  // namespace transformer::bench
