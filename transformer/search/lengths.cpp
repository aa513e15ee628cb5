#include "transformer/search/lengths.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace transformer::search {

double length_penalty(const DecodeOptions& options, std::int64_t length) {
  const auto tokens = static_cast<double>(length);
  switch (options.length_penalty) {
    case LengthPenalty::gnmt:
      return std::pow((5.0 + tokens) / 6.0, options.alpha);
    case LengthPenalty::length:
      return std::pow(tokens, options.alpha);
  }
  no_such_choice();
}

double best_possible_score(const DecodeOptions& options, double log_probability, std::int64_t length,
                           std::int64_t limit) {
  const double divisor = std::max(length_penalty(options, length + 1), length_penalty(options, limit + 1));
  return log_probability / divisor;
}

std::int64_t length_limit(const models::ModelOptions& model, std::int64_t source_tokens,
                          const DecodeOptions& options) {
  const auto longest = models::longest_sequence(model).value_or(std::numeric_limits<std::int64_t>::max()) - 1;
  return std::clamp(source_tokens + options.length_offset, std::int64_t{0}, longest);
}

}  // namespace transformer::search
