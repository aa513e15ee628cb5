// What transformer-score prints.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "transformer/data/tokenizer.h"
#include "transformer/search/options.h"
#include "transformer/translation/forced_batches.h"

namespace transformer::apps {

/// The tokens of a target as pieces, its end's last, and their log-probabilities.
using ScoredTokens = std::vector<std::pair<std::string, float>>;

struct ScoreFormat {
  bool tokens = false;     ///< also each token
  bool normalize = false;  ///< divided by the length penalty
  bool json = false;
};

/// scores: of each token of the text, the last one's last.
ScoredTokens name_tokens(const translation::ForcedPair& text, const std::vector<float>& scores,
                         const data::Tokenizer& tokenizer);

double total_log_probability(const ScoredTokens& tokens);

/// "-12.345678<tab>14", and with format.tokens for each one "<tab>▁Haus -0.123456"; or an object of JSON.
/// options: whose length penalty counts. Without a line end.
std::string format_score(const ScoredTokens& tokens, const search::DecodeOptions& options,
                         const ScoreFormat& format);

}  // namespace transformer::apps
