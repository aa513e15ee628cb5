#include "transformer/store/run_lock.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <system_error>

#include "transformer/base/error.h"

namespace transformer::store {
namespace {

std::filesystem::path made(const RunDirectory& run) {
  std::error_code error;
  std::filesystem::create_directories(run.checkpoints(), error);
  if (error) throw_file_error(run.checkpoints(), "creating", error.value());
  return run.path / ".lock";
}

}  // namespace

RunLock::RunLock(const RunDirectory& run) : file_(made(run)) {
  const int reason = file_.try_lock();
  if (reason == 0) return;
  if (reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP) {  // some file systems of clusters
    spdlog::warn("{}: no locks here: see to it that no other training uses it", run.path.string());
    return;
  }
  if (reason != EWOULDBLOCK) throw_file_error(file_.path(), "locking", reason);
  throw InputError(fmt::format("{}: another training runs here (process {}): expected one at a time",
                               run.path.string(), file_.holder()));
}

}  // namespace transformer::store
