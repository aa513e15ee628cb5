#include "transformer/translation/scoring.h"

#include <limits>

#include "transformer/base/special_tokens.h"
#include "transformer/search/step.h"

namespace transformer::translation {
namespace {

constexpr auto kNever = -std::numeric_limits<float>::infinity();

}  // namespace

std::vector<std::int64_t> length_limits(const models::Model& model, const torch::Tensor& source,
                                        const search::DecodeOptions& options) {
  const auto tokens = (source.ne(kPad).sum(1) - 1).contiguous();  // (B), without the end token
  std::vector<std::int64_t> limits(tokens.data_ptr<std::int64_t>(),
                                   tokens.data_ptr<std::int64_t>() + tokens.numel());
  for (auto& limit : limits) limit = search::length_limit(model.options(), limit, options);
  return limits;
}

torch::Tensor next_log_probabilities(const torch::Tensor& logits, std::span<const std::int32_t> only) {
  auto log_probabilities = next_log_probabilities_on_device(logits, torch::Tensor());
  for (std::size_t row = 0; row < only.size(); ++row) {
    if (only[row] == search::kAnyToken) continue;
    auto probabilities = log_probabilities[static_cast<std::int64_t>(row)];
    probabilities.slice(0, 0, only[row]).fill_(kNever);
    probabilities.slice(0, only[row] + 1).fill_(kNever);
  }
  return log_probabilities;
}

torch::Tensor next_log_probabilities_on_device(const torch::Tensor& logits, const torch::Tensor& must_end) {
  auto log_probabilities = torch::log_softmax(logits, -1, torch::kFloat);  // (R, V)
  log_probabilities.select(1, kPad).fill_(kNever);
  log_probabilities.select(1, kBos).fill_(kNever);
  if (must_end.defined()) {
    const auto no_end = torch::arange(logits.size(1), must_end.options().dtype(torch::kLong)).ne(kEos);
    log_probabilities.masked_fill_(must_end.unsqueeze(1).logical_and(no_end), kNever);
  }
  return log_probabilities;
}

}  // namespace transformer::translation
