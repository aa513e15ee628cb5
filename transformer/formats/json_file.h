// JSON files beside exported weights.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace transformer::formats {

/// Two blanks an indentation, characters beyond ASCII escaped, as Python writes it.
void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& json);

/// The file is not trusted. Throws InputError naming it when it is missing, no JSON or nested deeply.
nlohmann::json read_json(const std::filesystem::path& path);

}  // namespace transformer::formats
