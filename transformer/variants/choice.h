// Choices as they stand in a configuration: "local window=8", or "none" for the paper's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transformer/variants/options.h"

namespace transformer::variants {

/// The key of a configuration: "model.variants.attention", "train.variants.optimizer".
std::string key_of(Kind kind);

/// What is chosen besides the paper's, in the order of their kinds.
std::vector<std::pair<Kind, Choice>> chosen(const Choices& choices);
std::vector<std::pair<Kind, Choice>> chosen(const TrainChoices& choices);

/// "model.variants.attention: local window=8" for each of them.
std::vector<std::string> describe(const Choices& choices);

/// A name of a variant or of an option: small letters, digits, - and _, beginning with a letter.
bool is_name(std::string_view text);

/// "NAME option=value option=value", "none" or nothing; values have no characters but letters, digits and
/// . + - _ /. Nothing is returned for any other text.
std::optional<Choice> parse(std::string_view text);

/// Reads back as an equal choice.
std::string print(const Choice& choice);

}  // namespace transformer::variants
