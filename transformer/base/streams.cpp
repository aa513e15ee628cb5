#include "transformer/base/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "transformer/base/error.h"
#include "transformer/base/temporary.h"

namespace transformer {
namespace fs = std::filesystem;
namespace {

std::optional<int> number_of(const std::string& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The descriptor of this process that a path leads to. Opening the path instead would truncate a file that
/// was opened for appending, and would fail for a socket.
std::optional<int> own_descriptor(fs::path path) {
  std::error_code absent;
  const auto own = fs::canonical("/proc/self/fd", absent);
  constexpr int kMost = 40;
  for (int i = 0; i < kMost && !absent; ++i) {
    if (fs::canonical(parent_folder(path), absent) == own) return number_of(path.filename().string());
    if (!fs::is_symlink(fs::symlink_status(path, absent))) return std::nullopt;
    path = parent_folder(path) / fs::read_symlink(path, absent);
  }
  return std::nullopt;
}

int duplicate(int descriptor, const std::string& name) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    throw InputError(fmt::format("{}: cannot be opened: {}", name, std::generic_category().message(errno)));
  return copy;
}

bool is_standard(const std::string& path) {
  return path.empty() || path == "-";
}

}  // namespace

std::string input_name(const std::string& path) {
  return is_standard(path) ? "standard input" : path;
}

int open_input(const std::string& path) {
  if (is_standard(path)) return duplicate(STDIN_FILENO, "standard input");
  if (const auto own = own_descriptor(path)) return duplicate(*own, path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0 && !fs::is_directory(path)) return descriptor;
  const int reason = descriptor < 0 ? errno : EISDIR;
  if (descriptor >= 0) ::close(descriptor);
  throw InputError(fmt::format("{}: cannot be read: {}", path, std::generic_category().message(reason)));
}

std::size_t read_some(int descriptor, std::span<char> bytes, const std::string& name) {
  ssize_t count = -1;
  do {
    count = ::read(descriptor, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw_file_error(name, "reading", errno);
  return static_cast<std::size_t>(count);
}

std::optional<std::string> read_given_pipe(const std::string& path, std::uintmax_t most) {
  const auto own = own_descriptor(path);
  struct stat status = {};
  if (!own || ::fstat(*own, &status) != 0 || !S_ISFIFO(status.st_mode)) return std::nullopt;
  std::string content;
  std::array<char, 1 << 16> piece;
  while (const auto count = read_some(*own, piece, path)) {
    content.append(piece.data(), count);
    if (content.size() > most)
      throw InputError(fmt::format("{}: expected at most {} bytes, found more", path, most));
  }
  return content;
}

std::optional<int> open_direct_output(const std::string& path) {
  if (is_standard(path)) return duplicate(STDOUT_FILENO, "standard output");
  if (const auto own = own_descriptor(path)) return duplicate(*own, path);
  std::error_code absent;
  const auto status = fs::status(path, absent);
  if (!fs::is_fifo(status) && !fs::is_character_file(status)) return std::nullopt;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw_file_error(path, "opening", errno);
  return descriptor;
}

}  // namespace transformer
