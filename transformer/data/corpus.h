// Parallel text files and the filters of the training data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "transformer/base/text_file.h"
#include "transformer/base/text_stream.h"
#include "transformer/data/options.h"

namespace transformer::data {

/// The file of one side: `prefix.language`, or, where there is none, `prefix.language.gz` or
/// `prefix.language.zst`, the first that there is.
std::filesystem::path side_path(const std::string& prefix, const std::string& language);

/// A text file from front to end, a line at a time: of a corpus of any size one line is in memory. It may be
/// compressed.
class TextReader {
 public:
  /// Throws InputError when the file cannot be read, or is none that can be read again, such as a pipe.
  explicit TextReader(const std::filesystem::path& file);
  TextReader(const TextReader&) = delete;
  TextReader& operator=(const TextReader&) = delete;

  /// The next line; false at the end. Throws InputError for one that is not text.
  bool next(std::string& line) { return lines_.next(line); }

  std::size_t line_number() const { return lines_.line_number(); }
  std::size_t windows_line_ends() const { return lines_.windows_line_ends(); }

 private:
  TextStream file_;
  LineReader lines_;
};

/// Both sides of a split; line i of one translates line i of the other.
class PairReader {
 public:
  /// Throws InputError when a file cannot be read.
  PairReader(const std::string& prefix, const DataOptions& options);

  /// The next pair; false at the end. Throws InputError for what is not text, and when only one side is at
  /// its end.
  bool next(std::string& source, std::string& target);

  std::size_t windows_line_ends() const { return source_.windows_line_ends() + target_.windows_line_ends(); }

 private:
  std::filesystem::path source_path_;
  std::filesystem::path target_path_;
  TextReader source_;
  TextReader target_;
};

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
  FilterCounts& operator+=(const FilterCounts& more);
  std::int64_t total() const { return kept + empty + too_long + ratio; }
  bool operator==(const FilterCounts&) const = default;
};

}  // namespace transformer::data
