// Strict reading of text files: what a person feeds in is checked before it can do harm.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// Position of the first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF), or nothing when all of `text` is well formed.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Whether all of `text` is well-formed UTF-8.
bool is_valid_utf8(std::string_view text);

/// What becomes of a byte order mark at the start of a file.
enum class ByteOrderMark {
  drop,
  keep,  ///< as U+FEFF, a part of the first line; for scores that must equal those of tools that keep it
};

/// Reads a stream line by line. A line's end is LF or CR LF and is not part of the line; the last line may
/// lack it.
class LineReader {
 public:
  /// `name` stands for the stream in messages: a path, or "standard input". `input` must outlive the reader.
  LineReader(std::istream& input, std::string name, ByteOrderMark mark = ByteOrderMark::drop);

  /// Reads the next line into `line`; false at the end of the stream. Throws InputError "name:line: …" for a
  /// line that is not UTF-8 or holds a NUL byte, and RunError when the device fails.
  bool next(std::string& line);

  /// Number of the line read last, from 1; 0 before the first.
  std::size_t line_number() const { return line_number_; }

  /// How many of the lines read so far ended in CR LF, as files from Windows do.
  std::size_t windows_line_ends() const { return windows_line_ends_; }

 private:
  std::istream& input_;
  std::string name_;
  ByteOrderMark mark_;
  std::size_t line_number_ = 0;
  std::size_t windows_line_ends_ = 0;
};

/// Opens a file for reading. Throws InputError when it is missing, unreadable or a folder.
std::ifstream open_text(const std::filesystem::path& path);

/// All lines of a file, checked as LineReader does. An empty file gives no lines: whether that is an error is
/// the caller's decision. `windows_line_ends`, where given, receives the number of CR LF line ends.
/// Throws InputError when the file is missing, unreadable, a folder, or not text.
std::vector<std::string> read_lines(const std::filesystem::path& path,
                                    std::size_t* windows_line_ends = nullptr,
                                    ByteOrderMark mark = ByteOrderMark::drop);

/// The whole file as bytes, unchecked. Throws InputError when it is missing, unreadable or a folder.
std::string read_file(const std::filesystem::path& path);

}  // namespace transformer
