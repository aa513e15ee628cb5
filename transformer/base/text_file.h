// Strict reading of text files: what a person feeds in is checked before it can do harm.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// A line of more bytes is no sentence, but a binary file or a compressed one that was made to fill the
/// memory.
inline constexpr std::size_t kLongestLine = std::size_t{256} << 20U;

/// Reads a stream line by line. A line's end is LF or CR LF and is not part of the line; the last line may
/// lack it.
class LineReader {
 public:
  /// `name` stands for the stream in messages: a path, or "standard input". `input` must outlive the reader.
  LineReader(std::istream& input, std::string name, ByteOrderMark mark = ByteOrderMark::drop);

  /// Reads the next line into `line`; false at the end of the stream. Throws InputError "name:line: …" for a
  /// line that is not UTF-8, holds a NUL byte or is longer than kLongestLine. Text in UTF-16, or with lines
  /// that only CR ends, is refused by that name. Throws RunError when the device fails.
  bool next(std::string& line);

  /// Number of the line read last, from 1; 0 before the first.
  std::size_t line_number() const { return line_number_; }

  /// How many of the lines read so far ended in CR LF, as files from Windows do.
  std::size_t windows_line_ends() const { return windows_line_ends_; }

 private:
  bool read(std::string& line);
  [[noreturn]] void refuse(std::string_view expected, std::string_view found) const;
  void check(std::string_view line) const;

  std::istream& input_;
  std::string name_;
  ByteOrderMark mark_;
  std::size_t line_number_ = 0;
  std::size_t windows_line_ends_ = 0;
};

/// Opens a file for reading. Throws InputError when it is missing, unreadable or a folder, and RunError where
/// the system fails.
std::ifstream open_text(const std::filesystem::path& path);

/// All lines of a file, which may be compressed, checked as LineReader does. An empty file gives no lines:
/// whether that is an error is the caller's decision. `windows_line_ends`, where given, receives the number
/// of CR LF line ends. Throws InputError when the file is missing, unreadable, a folder, or not text, and
/// RunError where it is too large for the memory.
std::vector<std::string> read_lines(const std::filesystem::path& path,
                                    std::size_t* windows_line_ends = nullptr,
                                    ByteOrderMark mark = ByteOrderMark::drop);

/// Throws InputError for what can be no input of a certain size: a folder, a pipe, a device, which might
/// never end. What is missing is left to who opens it.
void check_regular_file(const std::filesystem::path& path);

/// The largest file that is read as a whole, in bytes: more than any vocabulary, less than memory.
inline constexpr std::uintmax_t kWholeFile = std::uintmax_t{256} << 20U;

/// The whole file as bytes, unchecked. Throws InputError when it is missing, unreadable, no regular file, or
/// longer than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::uintmax_t most = kWholeFile);

}  // namespace transformer
