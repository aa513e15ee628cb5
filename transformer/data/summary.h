// summary.json: what a prepared folder was made from and what became of it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "transformer/data/options.h"
#include "transformer/data/prepare.h"

namespace transformer::data {

/// The version of summary.json that this program writes and reads.
inline constexpr int kSummaryVersion = 2;

/// The options that decide the folder's content, without paths: those say where it lies, not what it is.
nlohmann::json content_options(const DataOptions& options);

/// "data.vocabulary is 8000, but was 10000" for the first key in which the two differ, or nothing.
std::optional<std::string> first_difference(nlohmann::json recorded, nlohmann::json wanted);

nlohmann::json report_to_json(const PrepareReport& report);
/// Throws InputError for a count that is none, and the library's exceptions for anything else.
PrepareReport report_from_json(const nlohmann::json& json);

/// Throws InputError when the file is missing or is not what this version writes.
nlohmann::json read_summary(const std::filesystem::path& file);

/// What a summary says of the folder's files.
bool has_shared_vocabulary(const nlohmann::json& summary);
bool has_pairs(const nlohmann::json& summary);  ///< or documents
bool has_split(const nlohmann::json& summary, const std::string& name);

/// The names of the folder's tokenizers and texts. (Data sets have checksums of their own.)
std::vector<std::string> small_files(const nlohmann::json& summary);

}  // namespace transformer::data
