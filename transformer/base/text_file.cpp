#include "transformer/base/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "transformer/base/error.h"

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
    throw InputError(
        fmt::format("{}: cannot be read: {}", path.string(), std::generic_category().message(errno)));
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

LineReader::LineReader(std::istream& input, std::string name, ByteOrderMark mark)
    : input_(input), name_(std::move(name)), mark_(mark) {}

bool LineReader::next(std::string& line) {
  if (!std::getline(input_, line)) {
    if (input_.bad()) throw RunError(fmt::format("{}: reading failed", name_));
    return false;
  }
  ++line_number_;
  if (line_number_ == 1 && mark_ == ByteOrderMark::drop && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  // A last line without LF keeps its CR count honest: "text\r" at the end of a file is a cut CR LF.
  if (!line.empty() && line.back() == '\r') {
    line.pop_back();
    ++windows_line_ends_;
  }
  if (const auto nul = line.find('\0'); nul != std::string::npos) {
    throw InputError(
        fmt::format("{}:{}: expected text, found a NUL byte at byte {}", name_, line_number_, nul + 1));
  }
  if (const auto bad = first_invalid_utf8(line)) {
    throw InputError(fmt::format("{}:{}: expected UTF-8, found byte 0x{:02X} at byte {}", name_, line_number_,
                                 static_cast<unsigned char>(line[*bad]), *bad + 1));
  }
  return true;
}

std::vector<std::string> read_lines(const std::filesystem::path& path, std::size_t* windows_line_ends,
                                    ByteOrderMark mark) {
  std::ifstream file = open_text(path);
  LineReader reader(file, path.string(), mark);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(std::move(line));
  if (windows_line_ends != nullptr) *windows_line_ends = reader.windows_line_ends();
  return lines;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file = open_text(path);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw RunError(fmt::format("{}: reading failed", path.string()));
  return content;
}

}  // namespace transformer
