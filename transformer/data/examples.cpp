#include "transformer/data/examples.h"

#include <algorithm>
#include <limits>

namespace transformer::data {

BatchSize ExampleSource::size_of(std::span<const std::int64_t> indices) const {
  BatchSize size;
  for (const auto i : indices) size.add(length(i));
  return size;
}

std::vector<Length> ExampleSource::lengths() const {
  const auto small = [](std::int64_t tokens) {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(tokens, std::numeric_limits<std::int32_t>::max()));
  };
  std::vector<Length> lengths;
  lengths.reserve(static_cast<std::size_t>(size()));
  for (std::int64_t i = 0; i < size(); ++i) {
    const auto tokens = length(i);
    lengths.push_back({small(tokens.source), small(tokens.target)});
  }
  return lengths;
}

Tokens<std::int64_t> StoredExamples::length(std::int64_t i) const {
  return {data_.has_source() ? std::ssize(data_.source(i)) + 1 : 0, std::ssize(data_.target(i)) + 1};
}

}  // namespace transformer::data
