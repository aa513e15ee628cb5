// Section 6.1: how long an output may be, and what its length costs.
#pragma once

#include <cstdint>

#include "transformer/models/options.h"
#include "transformer/search/options.h"

namespace transformer::search {

/// What a log-probability is divided by: ((5 + |Y|) / 6)^alpha, or |Y|^alpha. `length` is |Y|, the number of
/// output tokens with the end token, as in tensor2tensor (the paper's own program), fairseq and Marian.
/// CTranslate2 leaves the end token out.
double length_penalty(const DecodeOptions& options, std::int64_t length);

/// The highest score that an open hypothesis of `length` tokens can still reach: its log-probability can only
/// fall, and the penalty is most favourable at the shortest or at the longest output (`limit` tokens), each
/// with its end token.
double best_possible_score(const DecodeOptions& options, double log_probability, std::int64_t length,
                           std::int64_t limit);

/// Section 6.1. The most tokens that a sentence's output may have, without the end token: the source's
/// tokens, without its end, + options.length_offset; with learned positions at most max_positions - 1,
/// because the begin token takes one.
std::int64_t length_limit(const models::ModelOptions& model, std::int64_t source_tokens,
                          const DecodeOptions& options);

}  // namespace transformer::search
