#include "transformer/engine/output_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "transformer/base/special_tokens.h"

namespace transformer::engine {
namespace {

/// Panels of logits that are computed before they are looked through.
constexpr std::int64_t kPanelsAtOnce = 8;

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

/// What follows where nothing else does.
std::int32_t token_alone(std::int32_t only) {
  return only == search::kAnyToken ? kEos : only;
}

}  // namespace

OutputLayer::OutputLayer(const PackedModel& model)
    : model_(model), linear_(kernels::linear(model.isa())), next_tokens_(kernels::next_tokens(model.isa())) {}

void OutputLayer::begin(std::size_t rows, std::int64_t width, search::Continuations& best) const {
  best.width = std::min(width, model_.vocabulary().target);
  best.log_probabilities.assign(rows * static_cast<std::size_t>(best.width), kImpossible);
  best.tokens.assign(rows * static_cast<std::size_t>(best.width), kEos);
}

void OutputLayer::choose(const RoundedRows& states, std::int64_t first_row,
                         std::span<const std::int32_t> only, search::Continuations& best) {
  float* values = best.log_probabilities.data() + first_row * best.width;
  std::int32_t* tokens = best.tokens.data() + first_row * best.width;
  only = only.subspan(static_cast<std::size_t>(first_row), static_cast<std::size_t>(states.rows));
  scan(states, only, best.width, values, tokens);
  for (std::int64_t row = 0; row < states.rows; ++row) {
    float* mine = values + row * best.width;
    const float log_sum = maximum_[row] + std::log(total_[row]);
    const auto alone = only[static_cast<std::size_t>(row)];
    if (alone != search::kAnyToken || mine[0] == kImpossible) {
      std::fill_n(mine, best.width, kImpossible);
      mine[0] = only_logits_[row];
      tokens[row * best.width] = token_alone(alone);
    }
    for (std::int64_t i = 0; i < best.width; ++i) mine[i] -= log_sum;
  }
}

/// The largest logits of each row and whose they are, (rows, width), and what the softmax needs of all.
void OutputLayer::scan(const RoundedRows& states, std::span<const std::int32_t> only, std::int64_t width,
                       float* values, std::int32_t* tokens) {
  constexpr auto kColumns = kPanelsAtOnce * kernels::kPanel;
  const auto rows = states.rows, vocabulary = model_.vocabulary().target;
  logits_.resize(rows * kColumns);
  maximum_.resize(rows);
  total_.resize(rows);
  only_logits_.resize(rows);
  std::fill_n(maximum_.data(), rows, kImpossible);
  std::fill_n(total_.data(), rows, 0.0F);
  for (std::int64_t first = 0; first < vocabulary; first += kColumns) {
    const auto columns = std::min(kColumns, vocabulary - first);
    const Panels panels{first / kernels::kPanel, kernels::padded(columns) / kernels::kPanel};
    model_.output.apply(linear_, states, panels, logits_.data(), kColumns);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto column = token_alone(only[static_cast<std::size_t>(row)]) - first;
      if (column >= 0 && column < columns) only_logits_[row] = logits_[row * kColumns + column];
    }
    next_tokens_.scan({.rows = rows,
                       .first = first,
                       .columns = columns,
                       .logits = logits_.data(),
                       .stride = kColumns,
                       .maximum = maximum_.data(),
                       .total = total_.data(),
                       .never = {kPad, kBos},
                       .best = width,
                       .values = values,
                       .tokens = tokens});
  }
}

void OutputLayer::compute(const RoundedRows& states, float* logits) {
  const auto padded = model_.output.width(), vocabulary = model_.vocabulary().target;
  logits_.resize(states.rows * padded);
  model_.output.apply(linear_, states, model_.output.all(), logits_.data(), padded);
  for (std::int64_t row = 0; row < states.rows; ++row)
    std::copy_n(logits_.data() + row * padded, vocabulary, logits + row * vocabulary);
}

}  // namespace transformer::engine
