#include "transformer/experiments/output_lock.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "transformer/base/error.h"
#include "transformer/base/output_place.h"

namespace transformer::experiments {
namespace {

std::filesystem::path made(const std::filesystem::path& folder) {
  check_output_place(folder, {});
  std::filesystem::create_directories(folder);
  return folder / ".lock";
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& folder) : file_(made(folder)) {
  constexpr int kTries = 60;
  for (int i = 0;; ++i) {
    const int reason = file_.try_lock();
    if (reason == 0) return;
    if (reason != EWOULDBLOCK) {
      spdlog::warn("{}: no locks here: see to it that no other runner uses it", folder.string());
      return;
    }
    const auto other = file_.holder();
    const bool lives = other > 0 && (::kill(other, 0) == 0 || errno == EPERM);
    if (lives || i == kTries)
      throw InputError(fmt::format("{}: another runner works here (process {}): expected one at a time",
                                   folder.string(), other));
    if (i == 0) spdlog::info("waiting for the programs of a runner that is gone to stop");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

}  // namespace transformer::experiments
