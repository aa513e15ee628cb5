#include "transformer/base/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "transformer/base/choices.h"
#include "transformer/base/error.h"
#include "transformer/base/text_stream.h"

namespace transformer {
namespace {

/// Length of the well-formed UTF-8 sequence at the front of `text`, or 0.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

/// How many of the bytes from `position` on are ASCII for certain: most of most texts, eight at a time.
std::size_t ascii_run(std::string_view text, std::size_t position) {
  const std::size_t begin = position;
  for (; position + 8 <= text.size(); position += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + position, 8);
    if ((bytes & 0x8080808080808080U) != 0) break;
  }
  return position - begin;
}

}  // namespace

std::ifstream open_text(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError(fmt::format("{}: expected a file, found a folder", path.string()));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int error = errno;
    throw_error_of(
        error, fmt::format("{}: cannot be read: {}", path.string(), std::generic_category().message(error)));
  }
  return file;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    if (const auto run = ascii_run(text, position); run > 0) {
      position += run;
      continue;
    }
    const std::size_t length = sequence_length(text.substr(position));
    if (length == 0) return position;
    position += length;
  }
  return std::nullopt;
}

bool is_valid_utf8(std::string_view text) {
  return !first_invalid_utf8(text);
}

namespace {

/// The encoding that makes a text's first line, which is not UTF-8, look as it does: a mark at its front, or
/// a NUL in every letter of a Latin script. Empty: none that is known.
std::string_view other_encoding(std::string_view line) {
  using namespace std::string_view_literals;
  if (line.starts_with("\xFF\xFE\0\0"sv) || line.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) return "UTF-16";
  std::array<std::size_t, 2> nuls = {0, 0};  // at even and at odd places
  for (std::size_t i = 0; i < line.size(); ++i) nuls[i % 2] += line[i] == '\0' ? 1 : 0;
  const auto [fewer, more] = std::minmax(nuls[0], nuls[1]);
  constexpr std::size_t telling = 4;  // fewer may stand so by chance
  if (fewer > 0 || more < std::max(telling, line.size() / 4)) return "";
  return nuls[0] > 0 ? "UTF-16BE" : "UTF-16LE";
}

}  // namespace

LineReader::LineReader(std::istream& input, std::string name, ByteOrderMark mark)
    : input_(input), name_(std::move(name)), mark_(mark) {}

void LineReader::refuse(std::string_view expected, std::string_view found) const {
  throw InputError(fmt::format("{}:{}: expected {}, found {}", name_, line_number_, expected, found));
}

bool LineReader::read(std::string& line) {
  std::array<char, 4096> piece;
  line.clear();
  while (true) {
    input_.getline(piece.data(), piece.size());
    if (input_.bad()) throw RunError(fmt::format("{}: reading failed", name_));
    const auto count = static_cast<std::size_t>(input_.gcount());
    if (input_.eof() || count == 0) return !line.append(piece.data(), count).empty();
    if (!input_.fail()) {
      line.append(piece.data(), count - 1);  // the LF counts
      return true;
    }
    // The piece is full, and the line goes on.
    input_.clear(input_.rdstate() & ~std::ios::failbit);
    line.append(piece.data(), count);
    if (line.size() > kLongestLine) return true;
  }
}

bool LineReader::next(std::string& line) {
  if (input_.eof() || !read(line)) return false;
  ++line_number_;
  if (line.size() > kLongestLine)
    refuse(fmt::format("lines of at most {} bytes", kLongestLine), "a longer one");
  if (line_number_ == 1 && mark_ == ByteOrderMark::drop && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  const bool ended = !input_.eof();
  if (!line.empty() && line.back() == '\r') {
    line.pop_back();
    windows_line_ends_ += ended ? 1 : 0;
  }
  check(line);
  if (line_number_ == 1 && !ended && line.find('\r') != std::string::npos)
    refuse("lines that end in LF or CR LF", "lines ended by CR alone, as on old Macs");
  return true;
}

void LineReader::check(std::string_view line) const {
  const auto nul = line.find('\0');
  const auto bad = first_invalid_utf8(line);
  if (nul == std::string::npos && !bad) return;
  if (const auto encoding = line_number_ == 1 ? other_encoding(line) : ""; !encoding.empty())
    refuse("text in UTF-8",
           fmt::format("text in {} (iconv -f {} -t UTF-8 turns it into UTF-8)", encoding, encoding));
  if (nul != std::string::npos) refuse("text", fmt::format("a NUL byte at byte {}", nul + 1));
  refuse("UTF-8", fmt::format("byte 0x{:02X} at byte {}", static_cast<unsigned char>(line[*bad]), *bad + 1));
}

std::vector<std::string> read_lines(const std::filesystem::path& path, std::size_t* windows_line_ends,
                                    ByteOrderMark mark) {
  TextStream file(path);
  LineReader reader(file, path.string(), mark);
  std::vector<std::string> lines;
  try {
    for (std::string line; reader.next(line);) lines.push_back(std::move(line));
  } catch (const std::bad_alloc&) {
    lines = {};  // gives back what the message takes
    throw RunError(fmt::format("{}: out of memory at line {}: all lines are held at once", path.string(),
                               reader.line_number() + 1));
  }
  if (windows_line_ends != nullptr) *windows_line_ends = reader.windows_line_ends();
  return lines;
}

void check_regular_file(const std::filesystem::path& path) {
  std::error_code absent;
  const auto status = std::filesystem::status(path, absent);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return;
  throw InputError(fmt::format("{}: expected a file, found {}", path.string(),
                               std::filesystem::is_directory(status) ? "a folder"
                               : std::filesystem::is_fifo(status)    ? "a pipe"
                               : std::filesystem::is_socket(status)  ? "a socket"
                                                                     : "a device"));
}

std::string read_file(const std::filesystem::path& path, std::uintmax_t most) {
  check_regular_file(path);
  std::ifstream file = open_text(path);
  std::string content;
  // Not by the size that the system names: files in /proc say 0 and have text.
  std::array<char, 1 << 16> piece;
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
    content.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (content.size() > most)
      throw InputError(fmt::format("{}: expected at most {} bytes, found more", path.string(), most));
  }
  if (file.bad()) throw RunError(fmt::format("{}: reading failed", path.string()));
  return content;
}

}  // namespace transformer
