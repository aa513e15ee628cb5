#include "transformer/experiments/output_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "transformer/base/error.h"

namespace transformer::experiments {
namespace {

/// The process number that the holder wrote, or 0.
pid_t holder(int descriptor) {
  std::array<char, 32> text{};
  if (::pread(descriptor, text.data(), text.size() - 1, 0) <= 0) return 0;
  return static_cast<pid_t>(std::atol(text.data()));
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const auto file = folder / ".lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw_file_error(file, "opening", errno);
  constexpr int kTries = 60;
  for (int i = 0; ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK) {
      spdlog::warn("{}: no locks here: see to it that no other runner uses it", folder.string());
      return;
    }
    const auto other = holder(descriptor_);
    const bool lives = other > 0 && (::kill(other, 0) == 0 || errno == EPERM);
    if (lives || i == kTries) {
      ::close(descriptor_);
      throw InputError(fmt::format("{}: another runner works here (process {}): expected one at a time",
                                   folder.string(), other));
    }
    if (i == 0) spdlog::info("waiting for the programs of a runner that is gone to stop");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  const auto number = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, number.data(), number.size(), 0) < 0) {
    const int reason = errno;
    ::close(descriptor_);
    throw_file_error(file, "writing", reason);
  }
}

OutputLock::~OutputLock() {
  ::close(descriptor_);
}

}  // namespace transformer::experiments
