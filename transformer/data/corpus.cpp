#include "transformer/data/corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace transformer::data {

std::filesystem::path side_path(const std::string& prefix, const std::string& language) {
  return prefix + "." + language;
}

ParallelText read_parallel(const std::string& prefix, const DataOptions& options) {
  const auto source = side_path(prefix, options.source);
  const auto target = side_path(prefix, options.target);
  std::size_t in_source = 0;
  std::size_t in_target = 0;
  ParallelText text = {read_lines(source, &in_source), read_lines(target, &in_target)};
  text.windows_line_ends = in_source + in_target;
  if (text.source.size() != text.target.size()) {
    throw InputError(fmt::format("{} and {}: expected equally many lines, found {} and {}", source.string(),
                                 target.string(), text.source.size(), text.target.size()));
  }
  return text;
}

Verdict judge(std::int64_t source_tokens, std::int64_t target_tokens, const DataOptions& options) {
  const auto [shorter, longer] = std::minmax(source_tokens, target_tokens);
  if (shorter == 0) return Verdict::empty;
  if (longer > options.max_tokens) return Verdict::too_long;
  if (options.max_ratio > 0 &&
      static_cast<double>(longer) > options.max_ratio * static_cast<double>(shorter)) {
    return Verdict::ratio;
  }
  return Verdict::keep;
}

void FilterCounts::add(Verdict verdict) {
  switch (verdict) {
    case Verdict::keep:
      ++kept;
      break;
    case Verdict::empty:
      ++empty;
      break;
    case Verdict::too_long:
      ++too_long;
      break;
    case Verdict::ratio:
      ++ratio;
      break;
  }
}

}  // namespace transformer::data
