// Parallel text files and the filters of the training data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "transformer/data/options.h"

namespace transformer::data {

/// The two sides of a split; line i of one translates line i of the other.
struct ParallelText {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::size_t windows_line_ends = 0;  ///< lines of both sides that ended in CR LF
};

/// The file of one side: `prefix.language`.
std::filesystem::path side_path(const std::string& prefix, const std::string& language);

/// Reads both sides of a split. Throws InputError when a file cannot be read, is not UTF-8, or when the sides
/// have unequal numbers of lines.
ParallelText read_parallel(const std::string& prefix, const DataOptions& options);

/// Why a pair of the training data is dropped; the first reason that holds.
enum class Verdict { keep, empty, too_long, ratio };

/// Judges a pair by its lengths in tokens, end tokens not counted.
Verdict judge(std::int64_t source_tokens, std::int64_t target_tokens, const DataOptions& options);

/// How many pairs of a split were kept, and how many dropped for which reason.
struct FilterCounts {
  std::int64_t kept = 0;
  std::int64_t empty = 0;     ///< a side without tokens
  std::int64_t too_long = 0;  ///< a side of more than max_tokens
  std::int64_t ratio = 0;     ///< one side more than max_ratio times as long as the other

  void add(Verdict verdict);
  std::int64_t total() const { return kept + empty + too_long + ratio; }
  bool operator==(const FilterCounts&) const = default;
};

}  // namespace transformer::data
