#include "transformer/search/text_steps.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "transformer/base/special_tokens.h"
#include "transformer/search/sampling.h"

namespace transformer::search {

TextSteps::TextSteps(TextModel& model, std::span<const std::vector<std::int32_t>> prompts)
    : model_(model), prompts_(prompts) {}

TextSteps::~TextSteps() {
  for (const auto text : texts_) model_.forget(text);
}

/// Gives each row a text: its parent's, or a fork of it where others continue it, too.
void TextSteps::follow(const StepRows& rows) {
  std::vector<std::int64_t> left(texts_.size(), 0), next;  // rows that are still to continue a text
  for (const auto parent : rows.parents) ++left[static_cast<std::size_t>(parent)];
  for (std::size_t i = 0; i < texts_.size(); ++i)
    if (left[i] == 0) model_.forget(texts_[i]);
  for (const auto parent : rows.parents) {
    const auto from = static_cast<std::size_t>(parent);
    next.push_back(--left[from] == 0 ? texts_[from] : next_text_++);
    if (next.back() != texts_[from]) model_.fork(texts_[from], next.back());
  }
  texts_ = std::move(next);
}

void TextSteps::operator()(const StepRows& rows, std::int64_t width, Continuations& best) {
  std::vector<TextModel::Reading> readings;
  if (next_text_ == 0) {
    for (const auto sentence : rows.sentences) {
      texts_.push_back(next_text_++);
      readings.push_back({texts_.back(), prompts_[static_cast<std::size_t>(sentence)]});
    }
  } else {
    follow(rows);
    for (std::size_t row = 0; row < rows.size(); ++row)
      readings.push_back({texts_[row], std::span(rows.tokens).subspan(row, 1)});
  }
  const auto all = model_.read(readings);
  const auto vocabulary = static_cast<std::size_t>(model_.vocabulary());
  best.width = std::min(width, model_.vocabulary());
  best.log_probabilities.assign(rows.size() * static_cast<std::size_t>(best.width),
                                -std::numeric_limits<float>::infinity());
  best.tokens.assign(best.log_probabilities.size(), kEos);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto logits = all.subspan(row * vocabulary, vocabulary);
    order_.assign(1, rows.only[row]);
    if (rows.only[row] == kAnyToken) {
      order_.resize(vocabulary);
      std::iota(order_.begin(), order_.end(), 0);
      std::erase_if(order_, [](auto token) { return token == kPad || token == kBos; });
    }
    const auto taken = std::min(order_.size(), static_cast<std::size_t>(best.width));
    const auto value = [&](std::int32_t token) { return logits[static_cast<std::size_t>(token)]; };
    std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(taken), order_.end(),
                      [&](auto a, auto b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
    const auto first = row * static_cast<std::size_t>(best.width);
    const LogitsAtOnce at_once(logits);
    for (std::size_t i = 0; i < taken; ++i) {
      best.tokens[first + i] = order_[i];
      best.log_probabilities[first + i] = static_cast<float>(at_once.log_probability(order_[i]));
    }
  }
}

}  // namespace transformer::search
