// How a Hugging Face folder wants outputs to be searched for.
#pragma once

#include <string>
#include <vector>

#include "transformer/config/experiment.h"
#include "transformer/formats/json_object.h"
#include "transformer/search/options.h"

namespace transformer::formats {

/// What we write into config.json besides Marian's own keys, which transformers keeps and does not use: so
/// that a model that comes back searches as it did.
inline constexpr const char* kOwnLengthOffset = "transformer_length_offset";
inline constexpr const char* kOwnLengthPenalty = "transformer_length_penalty";
inline constexpr const char* kOwnCandidates = "transformer_candidates";

/// Tokens with a meaning for the search.
struct SearchIds {
  std::int64_t pad, end, start;
  bool forces_first = false;  ///< what forced_bos_token_id says is known
};

/// What generation_config.json says, and config.json where it is silent, as in older folders. Throws
/// InputError for a token that is forced to come first, or forbidden though our search produces it.
search::DecodeOptions read_generation(const JsonObject& generation, const JsonObject& config,
                                      const SearchIds& ids);

/// The other way: generation_config.json of outputs of at most `longest` tokens, with their begin. The start
/// is never produced, unless it is the end.
nlohmann::ordered_json written_generation(const search::DecodeOptions& decode, const SearchIds& ids,
                                          std::int64_t longest);

/// What config.json gets besides.
nlohmann::json own_settings(const search::DecodeOptions& decode);

/// Positions of encoder and decoder: the longest source with its end, and the longest output of it.
std::int64_t position_count(const config::Experiment& experiment);

/// Settings that change what transformers generates and have no counterpart here, as "key value".
std::vector<std::string> ignored_settings(const JsonObject& generation, const JsonObject& config);

}  // namespace transformer::formats
