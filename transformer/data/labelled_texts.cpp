#include "transformer/data/labelled_texts.h"

#include <algorithm>

#include "transformer/base/special_tokens.h"
#include "transformer/data/answers.h"
#include "transformer/data/word_begins.h"

namespace transformer::data {

std::vector<std::int64_t> LabelledTexts::places(std::int64_t i) const {
  if (!numbers_.empty()) return answer(i);
  if (begins_.empty()) return {0};
  auto places = first_pieces(data_.source(i), begins_);
  const auto labels = data_.target(i).size();
  if (places.size() > labels) places.resize(labels);
  for (auto& place : places) ++place;  // behind kBos
  return places;
}

std::vector<std::int64_t> LabelledTexts::answer(std::int64_t i) const {
  const auto words = tokens_of_words(data_.source(i), begins_);
  const auto labels = data_.target(i);
  const auto word_of = [&](std::size_t place) -> const WordTokens* {
    const auto label = labels.size() == 2 ? label_of(labels[place]) : -1;
    if (label < 0 || label >= std::ssize(numbers_)) return nullptr;
    const auto number = static_cast<std::size_t>(numbers_[static_cast<std::size_t>(label)]);
    return number < words.size() ? &words[number] : nullptr;
  };
  const auto *first = word_of(0), *last = word_of(1);
  if (first == nullptr || last == nullptr) return {0, 0};
  return {first->first + 1, last->last + 1};  // behind kBos
}

Tokens<std::int64_t> LabelledTexts::length(std::int64_t i) const {
  return {std::ssize(data_.source(i)) + 2, std::ssize(places(i))};
}

Batch LabelledTexts::make_batch(std::span<const std::int64_t> indices) const {
  Batch batch;
  batch.indices.assign(indices.begin(), indices.end());
  batch.source_offsets.push_back(0);
  batch.target_offsets.push_back(0);
  for (const auto i : indices) {
    batch.add(length(i));
    const auto begin = std::ssize(batch.source);
    batch.source.push_back(kBos);
    std::ranges::copy(data_.source(i), std::back_inserter(batch.source));
    batch.source.push_back(kEos);
    const auto labels = data_.target(i);
    const auto all = places(i);
    for (std::size_t at = 0; at < all.size(); ++at) {
      batch.target_input.push_back(begin + all[at]);
      batch.target_output.push_back(numbers_.empty() ? label_of(labels[at]) : begin + all[at]);
    }
    batch.source_offsets.push_back(std::ssize(batch.source));
    batch.target_offsets.push_back(std::ssize(batch.target_input));
  }
  return batch;
}

}  // namespace transformer::data
