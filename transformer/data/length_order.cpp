#include "transformer/data/length_order.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "transformer/data/examples.h"

namespace transformer::data {
namespace {

/// The longest length there is. Longer ones than so many are rare enough not to need an order.
std::size_t longest_of(std::span<const Length> lengths) {
  std::int32_t longest = 0;
  for (const auto& length : lengths) longest = std::max({longest, length.source, length.target});
  return static_cast<std::size_t>(std::min(longest, (1 << 14) - 1));
}

/// The bucket of each length from 0 to `longest`, in whole numbers: floating-point ones may differ.
std::vector<std::size_t> buckets_of_lengths(std::int64_t width, std::int64_t start, std::size_t longest) {
  constexpr std::int64_t kToken = 1000;
  std::vector<std::size_t> buckets(longest + 1);
  std::int64_t edge = kToken + start;
  for (std::size_t length = 1; length <= longest; ++length) {
    buckets[length] = buckets[length - 1];
    if (static_cast<std::int64_t>(length) * kToken < edge) continue;
    ++buckets[length];
    edge += std::max(edge * width / 1000, kToken);
  }
  return buckets;
}

/// Sorts by a key from 0 … most; what has equal keys keeps its order.
template <typename Key>
void sort_by(std::vector<std::int64_t>& sentences, std::size_t most, Key key) {
  std::vector<std::size_t> places(most + 2);
  for (const auto i : sentences) ++places[key(i) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<std::int64_t> sorted(sentences.size());
  for (const auto i : sentences) sorted[places[key(i)]++] = i;
  sentences = std::move(sorted);
}

template <typename First, typename Second>
LengthOrder sort_by_both(std::vector<std::int64_t> sentences, std::size_t most, First first, Second second) {
  sort_by(sentences, most, [&](std::int64_t i) { return first(i) % 2 == 0 ? second(i) : most - second(i); });
  sort_by(sentences, most, first);
  double mates = 0;
  for (auto begin = sentences.begin(); begin != sentences.end();) {
    const auto end = std::find_if(begin, sentences.end(), [&](std::int64_t i) {
      return first(i) != first(*begin) || second(i) != second(*begin);
    });
    const auto count = static_cast<double>(end - begin);
    mates += count * count / static_cast<double>(sentences.size());
    begin = end;
  }
  return {.sentences = std::move(sentences), .mates = mates};
}

}  // namespace

std::vector<Length> lengths_of(const Dataset& data) {
  return StoredExamples(data).lengths();
}

LengthOrder sort_by_length(std::vector<std::int64_t> sentences, std::span<const Length> lengths,
                           const Bucketing& bucketing) {
  const auto longest = longest_of(lengths);
  const auto buckets = [&](std::int32_t Length::*side, std::int64_t start) {
    return [&lengths, side, table = buckets_of_lengths(bucketing.width, start, longest)](std::int64_t i) {
      const auto length = static_cast<std::size_t>(lengths[static_cast<std::size_t>(i)].*side);
      return table[std::min(length, table.size() - 1)];
    };
  };
  const auto source = buckets(&Length::source, bucketing.start.source),
             target = buckets(&Length::target, bucketing.start.target);
  return bucketing.source_first ? sort_by_both(std::move(sentences), longest, source, target)
                                : sort_by_both(std::move(sentences), longest, target, source);
}

}  // namespace transformer::data
