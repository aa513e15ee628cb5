#include "transformer/data/labelled_texts.h"

#include <algorithm>

#include "transformer/base/special_tokens.h"

namespace transformer::data {

std::vector<std::int64_t> first_pieces(std::span<const std::int32_t> ids, const std::vector<bool>& begins) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (i == 0 || begins[static_cast<std::size_t>(ids[i])]) places.push_back(static_cast<std::int64_t>(i));
  return places;
}

std::vector<std::int64_t> LabelledTexts::places(std::int64_t i) const {
  if (begins_.empty()) return {0};
  auto places = first_pieces(data_.source(i), begins_);
  const auto labels = data_.target(i).size();
  if (places.size() > labels) places.resize(labels);
  for (auto& place : places) ++place;  // behind kBos
  return places;
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
      batch.target_output.push_back(label_of(labels[at]));
    }
    batch.source_offsets.push_back(std::ssize(batch.source));
    batch.target_offsets.push_back(std::ssize(batch.target_input));
  }
  return batch;
}

}  // namespace transformer::data
