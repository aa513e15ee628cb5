// Single values of a configuration: from text, strictly, and back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/data/options.h"

namespace transformer::config {

/// The numbers that a key takes.
struct Range {
  double min = 0;
  double max = 1e12;
  bool above_min = false;  ///< min itself is refused
  bool below_max = false;  ///< max itself is refused

  bool contains(double value) const;
  bool contains_integer(std::int64_t value) const;  ///< none beyond 2^53
  /// "from 0 and below 1", "above 0 to 1000", "from 1 to 1000".
  std::string describe() const;
};

/// "8", "1e5" and "8.0", but not "8.5" and "8 heads".
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Any finite decimal number.
std::optional<double> parse_real(std::string_view text);

/// "true" or "false".
std::optional<bool> parse_boolean(std::string_view text);

/// "2,1" or "English, French": two different columns of a table, both by number from 1 or both by name.
std::optional<data::Columns> parse_columns(std::string_view text);

/// The shortest text that reads back as the same number.
std::string print_real(double value);

/// A double-quoted YAML scalar.
std::string print_text(std::string_view text);

/// A path that is relative to a folder, as an absolute one without a slash at its end; nothing for nothing.
std::string absolute_path(const std::filesystem::path& folder, const std::string& value);

/// For a message: control characters become spaces.
std::string one_line(std::string_view text);

/// The found text for a message: in single quotes, on one line, shortened when it is very long.
std::string quote(std::string_view text);

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Between the values of a list of paths, which have no NUL (Key::is_list).
inline constexpr char kBetweenPaths = '\0';

/// The parts of a text between separators: one more than there are of these.
std::vector<std::string> parts_of(std::string_view text, char separator);

}  // namespace transformer::config
