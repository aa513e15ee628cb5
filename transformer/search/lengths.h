// Section 6.1: how long an output may be, and what its length costs.
#pragma once

#include <cstdint>

#include "transformer/models/options.h"
#include "transformer/search/options.h"

namespace transformer::search {

/// The divisor of a log-probability: ((5 + |Y|) / 6)^alpha, or |Y|^alpha. `length` is |Y|, the number of
/// output tokens with the end token, as in tensor2tensor (the paper's own program), fairseq and Marian.
/// CTranslate2 leaves the end token out.
double length_penalty(const DecodeOptions& options, std::int64_t length);

/// The highest score that an open hypothesis of `length` tokens can still reach. Its log-probability can only
/// fall. The penalty is most favourable either for the shortest or for the longest output (`limit` tokens),
/// each with its end token.
double best_possible_score(const DecodeOptions& options, double log_probability, std::int64_t length,
                           std::int64_t limit);

/// Section 6.1. The largest number of tokens in a sentence's output, without the end token. It is the
/// source's number of tokens, without its end, plus options.length_offset. With learned positions it is at
/// most max_positions - 1, because the begin token takes one.
std::int64_t length_limit(const models::ModelOptions& model, std::int64_t source_tokens,
                          const DecodeOptions& options);

}  // namespace transformer::search
