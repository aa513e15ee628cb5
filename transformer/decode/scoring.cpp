#include "transformer/decode/scoring.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "transformer/base/special_tokens.h"

namespace transformer::decode {

double length_penalty(const DecodeOptions& options, std::int64_t length) {
  const auto tokens = static_cast<double>(length);
  const double base = options.length_penalty == LengthPenalty::gnmt ? (5.0 + tokens) / 6.0 : tokens;
  return std::pow(base, options.alpha);
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

std::vector<std::int64_t> length_limits(const models::EncoderDecoder& model, const torch::Tensor& source,
                                        const DecodeOptions& options) {
  const auto tokens = (source.ne(kPad).sum(1) - 1).contiguous();  // (B), without the end token
  std::vector<std::int64_t> limits(tokens.data_ptr<std::int64_t>(),
                                   tokens.data_ptr<std::int64_t>() + tokens.numel());
  for (auto& limit : limits) limit = length_limit(model->options(), limit, options);
  return limits;
}

torch::Tensor next_log_probabilities(const torch::Tensor& logits, const std::vector<bool>& must_end) {
  constexpr auto kNever = -std::numeric_limits<float>::infinity();
  auto log_probabilities = torch::log_softmax(logits, -1, torch::kFloat);  // (R, V)
  log_probabilities.select(1, kPad).fill_(kNever);
  log_probabilities.select(1, kBegin).fill_(kNever);
  for (std::size_t row = 0; row < must_end.size(); ++row) {
    if (!must_end[row]) continue;
    auto probabilities = log_probabilities[static_cast<std::int64_t>(row)];
    probabilities.slice(0, 0, kEnd).fill_(kNever);
    probabilities.slice(0, kEnd + 1).fill_(kNever);
  }
  return log_probabilities;
}

}  // namespace transformer::decode
