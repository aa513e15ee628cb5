#include "transformer/data/masked_texts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "transformer/base/random.h"
#include "transformer/base/special_tokens.h"

namespace transformer::data {
namespace {

constexpr std::uint64_t kOf = 10;        // parts of the chosen tokens
constexpr std::uint64_t kMaskParts = 8;  // of them become the mask, one any token, one stays

/// What is chosen at once: a token, or a word.
struct Unit {
  std::uint64_t hash;
  std::vector<std::int64_t> places;
};

std::int32_t shown(std::int32_t hidden, const Masking& masking, std::uint64_t seed) {
  Random random(seed);
  const auto part = random.below(kOf);
  if (part < kMaskParts) return masking.mask;
  if (part > kMaskParts) return hidden;
  // Any but the special ones and the mask.
  const auto ordinary = masking.vocabulary - (kEos + 1) - 1;
  if (ordinary < 1) return hidden;
  const auto drawn = static_cast<std::int32_t>(kEos + 1 + random.below(static_cast<std::uint64_t>(ordinary)));
  return drawn < masking.mask ? drawn : drawn + 1;
}

}  // namespace

std::vector<MaskedToken> Masking::draw(std::span<const std::int64_t> text, std::uint64_t seed) const {
  std::vector<Unit> units;
  std::int64_t candidates = 0;
  bool goes_on = false;  // whether the token before is of a word
  for (std::int64_t place = 0; place < std::ssize(text); ++place) {
    const auto id = text[static_cast<std::size_t>(place)];
    if (id <= kEos || id == mask) {
      goes_on = false;
      continue;
    }
    ++candidates;
    if (begins.empty() || !goes_on || begins[static_cast<std::size_t>(id)])
      units.push_back({mix(seed, place), {}});
    units.back().places.push_back(place);
    goes_on = true;
  }
  std::ranges::stable_sort(units, {}, &Unit::hash);
  const auto most =
      std::max<std::int64_t>(std::llround(share * static_cast<double>(candidates)), candidates > 0 ? 1 : 0);
  std::vector<std::int64_t> places;
  const auto take = [&](const Unit& unit) {
    places.insert(places.end(), unit.places.begin(), unit.places.end());
  };
  for (const auto& unit : units)
    if (std::ssize(places) + std::ssize(unit.places) <= most) take(unit);
  if (places.empty() && !units.empty()) take(units.front());
  std::ranges::sort(places);
  std::vector<MaskedToken> tokens;
  for (const auto place : places) {
    const auto hidden = static_cast<std::int32_t>(text[static_cast<std::size_t>(place)]);
    tokens.push_back({place, hidden, shown(hidden, *this, mix(seed, place))});
  }
  return tokens;
}

MaskedTexts::MaskedTexts(std::shared_ptr<const ExampleSource> texts, Masking masking, std::uint64_t seed)
    : texts_(std::move(texts)), masking_(std::move(masking)), seed_(seed) {
  predicted_.reserve(static_cast<std::size_t>(size()));
  for (std::int64_t i = 0; i < size(); ++i)
    predicted_.push_back(static_cast<std::int32_t>(masking_.draw(text(i), mix(seed_, i)).size()));
}

std::vector<std::int64_t> MaskedTexts::text(std::int64_t i) const {
  const std::int64_t index[] = {i};
  auto ids = std::move(texts_->make_batch(index).target_output);
  ids.insert(ids.begin(), kBos);
  return ids;
}

Tokens<std::int64_t> MaskedTexts::length(std::int64_t i) const {
  return {texts_->length(i).target + 1, predicted_.at(static_cast<std::size_t>(i))};
}

Batch MaskedTexts::make_batch(std::span<const std::int64_t> indices) const {
  Batch batch;
  batch.indices.assign(indices.begin(), indices.end());
  batch.source_offsets.push_back(0);
  batch.target_offsets.push_back(0);
  for (const auto i : indices) {
    batch.add(length(i));
    const auto begin = std::ssize(batch.source);
    const auto ids = text(i);
    batch.source.insert(batch.source.end(), ids.begin(), ids.end());
    for (const auto& token : masking_.draw(ids, mix(seed_, i))) {
      batch.source[static_cast<std::size_t>(begin + token.place)] = token.shown;
      batch.target_input.push_back(begin + token.place);
      batch.target_output.push_back(token.hidden);
    }
    batch.source_offsets.push_back(std::ssize(batch.source));
    batch.target_offsets.push_back(std::ssize(batch.target_input));
  }
  return batch;
}

}  // namespace transformer::data
