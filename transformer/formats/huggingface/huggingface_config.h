// config.json of Hugging Face's decoders, in both directions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "transformer/formats/huggingface/huggingface_family.h"

namespace transformer::formats::huggingface {

/// Ids of their vocabulary.
struct SpecialIds {
  std::optional<std::int64_t> unknown = {}, pad = {}, begin = {}, end = {};
};

struct Config {
  Family family = Family::llama;
  models::ModelOptions model = {};
  bool mlp_bias = true;
  std::int64_t vocabulary = 0;
  std::int64_t longest = 0;  ///< tokens of a text in training
  SpecialIds special = {};
  std::set<std::int64_t> suppressed = {};  ///< ids that never are produced (generation_config.json)
};

/// config.json and, if there is one, generation_config.json. Throws InputError, naming file and key, for what
/// is damaged or cannot be expressed.
Config read_config(const std::filesystem::path& folder);

/// The family that is nearest to a model. Throws InputError, naming the key, if it cannot express the model.
Family family_for(const models::ModelOptions& model);

/// Added to the logit of what must never be produced: its exponential is zero, exactly.
inline constexpr float kNever = -1e4F;

/// What read_config reads again.
nlohmann::ordered_json config_json(const Config& config);
nlohmann::ordered_json generation_json(const Config& config);

}  // namespace transformer::formats::huggingface
