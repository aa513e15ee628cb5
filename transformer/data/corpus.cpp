#include "transformer/data/corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"

namespace transformer::data {

std::filesystem::path side_path(const std::string& prefix, const std::string& language) {
  const auto plain = prefix + "." + language;
  for (const auto* ending : {"", ".gz", ".zst"})
    if (std::filesystem::exists(plain + ending)) return plain + ending;
  return plain;
}

namespace {

/// What is prepared is read several times.
const std::filesystem::path& checked(const std::filesystem::path& file) {
  check_regular_file(file);
  return file;
}

}  // namespace

TextReader::TextReader(const std::filesystem::path& file)
    : file_(checked(file)), lines_(file_, file.string()) {}

PairReader::PairReader(const std::string& prefix, const DataOptions& options)
    : source_path_(side_path(prefix, options.source)),
      target_path_(side_path(prefix, options.target)),
      source_(source_path_),
      target_(target_path_) {}

bool PairReader::next(std::string& source, std::string& target) {
  const bool in_source = source_.next(source);
  const bool in_target = target_.next(target);
  if (in_source == in_target) return in_source;
  while (source_.next(source) || target_.next(target)) continue;  // to the ends, for the message's sake
  throw InputError(fmt::format("{} and {}: expected equally many lines, found {} and {}",
                               source_path_.string(), target_path_.string(), source_.line_number(),
                               target_.line_number()));
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

FilterCounts& FilterCounts::operator+=(const FilterCounts& more) {
  kept += more.kept;
  empty += more.empty;
  too_long += more.too_long;
  ratio += more.ratio;
  return *this;
}

}  // namespace transformer::data
