// Results of the layers of Table 1 as lines for a person, or objects for a program.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/bench/layers/table.h"

namespace transformer::bench {

nlohmann::ordered_json as_json(const LayerPoint& point);
nlohmann::ordered_json as_json(const LayerPath& path);
std::string as_text(const LayerPoint& point);
std::string as_text(const LayerPath& path);

struct ResultLine {
  nlohmann::ordered_json json;
  std::string text;
};

/// What all figures together say: each kind's exponents, and where attention and recurrence cross.
std::vector<ResultLine> conclusions(const LayerResults& results);

}  // namespace transformer::bench
