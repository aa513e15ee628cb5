// One side of a split, line by line: of a text file, of a table, or of a file of trees.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "transformer/base/text_file.h"
#include "transformer/base/text_stream.h"
#include "transformer/trees/bracketed_tree.h"

namespace transformer::data {

/// What of a tree a side takes.
enum class TreePart : std::uint8_t { words, brackets };

/// One side of a split on the disk.
struct SideFile {
  // NOLINTNEXTLINE(google-explicit-constructor): most texts are a file of their own
  SideFile(std::filesystem::path file) : path(std::move(file)) {}

  std::filesystem::path path;
  std::string column = {};  ///< of a table: its number or name (Columns); empty: whole lines
  std::int64_t lines = 0;   ///< how many are read from the front, or of trees how many trees; 0: all
  std::optional<TreePart> tree = {};  ///< of a file of trees
};

/// A text file from front to end, a line at a time: of a corpus of any size one line is in memory. It may be
/// compressed.
class TextReader {
 public:
  /// Throws InputError when the file cannot be read, or is none that can be read again, such as a pipe, and
  /// for a table whose first line lacks the name of the column.
  explicit TextReader(const SideFile& file);
  TextReader(const TextReader&) = delete;
  TextReader& operator=(const TextReader&) = delete;

  /// The next line, of a table the column of it; false at the end. Of trees, which may have several lines
  /// each, the next one as plain_tree() leaves it: its words, or its brackets in one line. Throws InputError
  /// for a line that is not text, for one of a table without that column, or without a second, and for what
  /// is no tree.
  bool next(std::string& line);

  std::size_t line_number() const { return lines_.line_number(); }
  std::size_t windows_line_ends() const { return lines_.windows_line_ends(); }

 private:
  void find_column();
  void keep_column(std::string& line) const;
  void keep_value(std::string& line) const;
  bool next_tree(std::string& text);
  bool read_tree(trees::BracketedTree& plain);

  SideFile side_;
  TextStream file_;
  LineReader lines_;
  std::size_t column_ = 0;   ///< from 1; 0: whole lines
  std::size_t heading_ = 0;  ///< lines before the first pair
  std::int64_t trees_ = 0;   ///< that have been read
  std::string json_key_;     ///< of lines that are objects of JSON; empty: they are none
};

}  // namespace transformer::data
