#include "transformer/formats/pytorch/stored_zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"

namespace transformer::formats {
namespace {

constexpr std::uint32_t kLocalMark = 0x04034b50, kDirectoryMark = 0x02014b50, kEndMark = 0x06054b50,
                        kWideEndMark = 0x06064b50, kWideLocatorMark = 0x07064b50;
constexpr std::uint64_t kLocalSize = 30, kDirectorySize = 46, kEndSize = 22, kWideLocatorSize = 20;
constexpr std::uint32_t kWideNumbers = 1;  // the extra field that has numbers of 64 bits
constexpr std::uint64_t kElsewhere = 0xFFFFFFFF;

}  // namespace

bool StoredZip::is_content(std::string_view content) {
  return content.starts_with("PK\x03\x04");
}

StoredZip::StoredZip(std::string content, std::filesystem::path path)
    : content_(std::move(content)), path_(std::move(path)) {
  read_directory();
}

void StoredZip::refuse(const std::string& problem) const {
  throw InputError(fmt::format("{}: {}", path_.string(), problem));
}

/// Little-endian, of at most 8 bytes.
std::uint64_t StoredZip::number(std::uint64_t at, std::size_t bytes) const {
  if (at > content_.size() || content_.size() - at < bytes)
    refuse(fmt::format("expected a whole zip archive, found one that is cut short at byte {}", at));
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i > 0; --i)
    value = (value << 8U) | static_cast<unsigned char>(content_[static_cast<std::size_t>(at) + i - 1]);
  return value;
}

void StoredZip::read_directory() {
  constexpr std::uint64_t kLongestComment = 0xFFFF;
  if (content_.size() < kEndSize) refuse("expected a zip archive, found a shorter file");
  std::uint64_t end = content_.size() - kEndSize;
  const auto first = end > kLongestComment ? end - kLongestComment : 0;
  while (end > first && number(end, 4) != kEndMark) --end;
  if (number(end, 4) != kEndMark) refuse("expected a zip archive, found no directory at its end");
  std::uint64_t count = number(end + 10, 2), at = number(end + 16, 4);
  if (end >= kWideLocatorSize && number(end - kWideLocatorSize, 4) == kWideLocatorMark) {
    const auto wide = number(end - kWideLocatorSize + 8, 8);
    if (number(wide, 4) != kWideEndMark) refuse("expected a zip archive, found a damaged directory");
    count = number(wide + 32, 8);
    at = number(wide + 48, 8);
  }
  std::uint64_t total = 0;
  for (; count > 0; --count) at = read_entry(at, total);
}

/// at: of an entry of the directory. Returns where the next one begins.
std::uint64_t StoredZip::read_entry(std::uint64_t at, std::uint64_t& total) {
  if (number(at, 4) != kDirectoryMark) refuse("expected a zip archive, found a damaged directory");
  const auto flags = number(at + 8, 2), method = number(at + 10, 2);
  const auto checksum = static_cast<std::uint32_t>(number(at + 16, 4));
  auto stored = number(at + 20, 4), size = number(at + 24, 4);
  const auto name_size = number(at + 28, 2), extra_size = number(at + 30, 2), note = number(at + 32, 2);
  auto local = number(at + 42, 4);
  const auto extra = at + kDirectorySize + name_size, next = extra + extra_size + note;
  number(next, 0);
  const auto name =
      content_.substr(static_cast<std::size_t>(at + kDirectorySize), static_cast<std::size_t>(name_size));
  for (auto field = extra; field + 4 <= extra + extra_size;) {
    auto value = field + 4;
    const auto is_wide = number(field, 2) == kWideNumbers;
    field = value + number(field + 2, 2);
    for (auto* each : {&size, &stored, &local})
      if (is_wide && *each == kElsewhere && value + 8 <= field) {
        *each = number(value, 8);
        value += 8;
      }
  }
  if (method != 0 || stored != size || (flags & 1U) != 0)
    refuse(fmt::format("expected entries as they are, found '{}' compressed or encrypted", printable(name)));
  if (number(local, 4) != kLocalMark)
    refuse(fmt::format("expected the entry '{}', found other bytes", printable(name)));
  const auto begin = local + kLocalSize + number(local + 26, 2) + number(local + 28, 2);
  if (begin > content_.size() || size > content_.size() - begin)
    refuse(fmt::format("is cut short: expected {} bytes of '{}'", size, printable(name)));
  total += size;
  if (total > content_.size()) refuse("expected entries apart from each other, found some that overlap");
  const Entry entry{static_cast<std::size_t>(begin), static_cast<std::size_t>(size), checksum};
  if (!entries_.emplace(name, entry).second)
    refuse(fmt::format("expected different entries, found '{}' twice", printable(name)));
  return next;
}

std::string_view StoredZip::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) refuse(fmt::format("expected an entry '{}', found none", printable(name)));
  const auto& [begin, size, checksum] = found->second;
  const auto bytes = std::string_view(content_).substr(begin, size);
  const auto actual = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());  // NOLINT
  if (actual != checksum)
    refuse(fmt::format("is damaged: expected the checksum {:08x} of '{}', found {:08x}", checksum,
                       printable(name), actual));
  return bytes;
}

}  // namespace transformer::formats
