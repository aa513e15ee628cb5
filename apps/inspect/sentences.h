// What transformer-inspect shows of the training data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformer::apps {

/// Prints pairs of the prepared training set that the configuration names, by their numbers there (from 0),
/// as the log and error messages of a training name them: token counts, and the texts that the tokenizers
/// make of the ids. Throws InputError for a number that the set does not have, before printing anything.
void print_sentences(const std::string& config, const std::vector<std::string>& overrides,
                     const std::vector<std::int64_t>& numbers, bool as_json);

}  // namespace transformer::apps
