#include "transformer/store/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "transformer/base/error.h"

namespace transformer::store {
namespace {

/// What the holder wrote: its process number.
std::string holder(int descriptor) {
  std::array<char, 32> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string_view number(text.data(), static_cast<std::size_t>(size > 0 ? size : 0));
  return std::string(number.substr(0, number.find('\n')));
}

}  // namespace

RunLock::RunLock(const RunDirectory& run) {
  std::error_code error;
  std::filesystem::create_directories(run.checkpoints(), error);
  if (error) throw_file_error(run.checkpoints(), "creating", error.value());
  const auto file = run.path / ".lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw_file_error(file, "opening", errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    if (reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP) {  // some file systems of clusters
      spdlog::warn("{}: no locks here: see to it that no other training uses it", run.path.string());
      return;
    }
    const auto other = holder(descriptor_);
    ::close(descriptor_);
    if (reason != EWOULDBLOCK) throw_file_error(file, "locking", reason);
    throw InputError(fmt::format("{}: another training runs here (process {}): expected one at a time",
                                 run.path.string(), other));
  }
  const auto number = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, number.data(), number.size(), 0) < 0) {
    const int reason = errno;
    ::close(descriptor_);
    throw_file_error(file, "writing", reason);
  }
}

RunLock::RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunLock::~RunLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace transformer::store
