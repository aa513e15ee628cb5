#include "transformer/base/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "transformer/base/error.h"

namespace transformer {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const char* found) {
  throw InputError(
      fmt::format("{}: expected nothing or the lock of these programs, found {}", file.string(), found));
}

/// A file's first bytes: more than any process number has.
std::string front(int descriptor) {
  std::array<char, 32> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

/// What try_lock() wrote.
std::optional<pid_t> process_number(const std::string& text) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end + 1 == text.data() + text.size() && *end == '\n';
  return whole ? std::optional(number) : std::nullopt;
}

bool lives(pid_t process) {
  return process > 0 && (::kill(process, 0) == 0 || errno == EPERM);
}

/// The lock's place in a folder that is there.
std::filesystem::path lock_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_file_error(folder, "creating", error.value());
  return folder / ".lock";
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

LockFile::LockFile(const std::filesystem::path& path)
    : path_(path),  // O_NONBLOCK: a pipe must not make us wait
      descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666)) {
  if (descriptor_ < 0 && errno == ELOOP) refuse(path, "a symbolic link");
  if (descriptor_ < 0) throw_file_error(path, "opening", errno);
  const bool regular = is_regular(descriptor_);
  const auto text = regular ? front(descriptor_) : "";
  if (regular && (text.empty() || process_number(text))) return;
  ::close(descriptor_);
  refuse(path, regular ? "a file with other content" : "something that is no file");
}

LockFile::~LockFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LockFile::LockFile(LockFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

int LockFile::try_lock() {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) return errno;
  const auto number = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, number.data(), number.size(), 0) < 0)
    throw_file_error(path_, "writing", errno);
  return 0;
}

pid_t LockFile::holder() const {
  return process_number(front(descriptor_)).value_or(0);
}

FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& user,
                       std::chrono::milliseconds patience)
    : file_(lock_in(folder)) {
  constexpr std::chrono::milliseconds kPause(500);
  for (auto waited = std::chrono::milliseconds(0);; waited += kPause) {
    const int reason = file_.try_lock();
    if (reason == 0) return;
    if (reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP) {  // some file systems of clusters
      spdlog::warn("{}: no locks here: see to it that no other {} uses it", folder.string(), user);
      return;
    }
    if (reason != EWOULDBLOCK) throw_file_error(file_.path(), "locking", reason);
    const auto other = file_.holder();
    if (lives(other) || waited >= patience)
      throw InputError(fmt::format("{}: another {} is at work here (process {}): expected one at a time",
                                   folder.string(), user, other));
    if (waited.count() == 0) spdlog::info("waiting for the programs of a {} that is gone to stop", user);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace transformer
