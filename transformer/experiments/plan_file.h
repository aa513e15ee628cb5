// plan.json: what was measured of experiments, by what it depends on.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "transformer/experiments/planner.h"

namespace transformer::experiments {

/// Of an experiment that was measured.
nlohmann::ordered_json to_json(const Estimate& estimate);
Estimate from_json(const nlohmann::json& json);

/// Estimates by a SHA-256; an empty object without the file. Throws InputError for what the planner has not
/// written.
nlohmann::json read_plan_file(const std::filesystem::path& file);

}  // namespace transformer::experiments
