#include "transformer/data/selection.h"

#include <algorithm>
#include <utility>

namespace transformer::data {

FilterCounts filter(Sentences& source, Sentences& target, const DataOptions& options) {
  FilterCounts counts;
  Sentences kept_source;
  Sentences kept_target;
  for (std::int64_t i = 0; i < source.size(); ++i) {
    const auto verdict = judge(std::ssize(source[i]), std::ssize(target[i]), options);
    counts.add(verdict);
    if (verdict != Verdict::keep) continue;
    kept_source.add(source[i]);
    kept_target.add(target[i]);
  }
  source = std::move(kept_source);
  target = std::move(kept_target);
  return counts;
}

std::int64_t shorten(Sentences& source, Sentences& target, std::int64_t most) {
  const auto cut = [most](std::span<const std::int32_t> ids) {
    return ids.first(std::min(ids.size(), static_cast<std::size_t>(most)));
  };
  std::int64_t count = 0;
  Sentences short_source;
  Sentences short_target;
  for (std::int64_t i = 0; i < source.size(); ++i) {
    if (std::max(std::ssize(source[i]), std::ssize(target[i])) > most) ++count;
    short_source.add(cut(source[i]));
    short_target.add(cut(target[i]));
  }
  source = std::move(short_source);
  target = std::move(short_target);
  return count;
}

}  // namespace transformer::data
