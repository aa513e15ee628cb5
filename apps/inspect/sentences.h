// What transformer-inspect shows of the training data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformer::apps {

/// Prints pairs of the prepared training set that the configuration names: their token counts and the texts
/// that the tokenizers make of their ids. `numbers` count from 0, like those in the log and error messages of
/// a training. Throws InputError, before printing anything, if the set lacks a number.
void print_sentences(const std::string& config, const std::vector<std::string>& overrides,
                     const std::vector<std::int64_t>& numbers, bool as_json);

}  // namespace transformer::apps
