#include "transformer/distributed/join.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <optional>

#include "transformer/base/exit_status.h"
#include "transformer/base/signals.h"
#include "transformer/base/temporary.h"

namespace transformer::distributed {

void check_interrupted(const JoinSettings& settings) {
  if (settings.interrupted && *settings.interrupted) throw Interrupted();
}

JoinGuard::JoinGuard(const StoreAddress& address, const JoinSettings& settings)
    : address_(address), settings_(settings) {
  const DeafThreads signals_pass_by;
  thread_ = std::thread([this] { look(); });
}

JoinGuard::~JoinGuard() {
  {
    const std::lock_guard lock(mutex_);
    joined_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JoinGuard::look() {
  constexpr double kGrace = 5;  // seconds: an attempt to connect takes up to two
  const auto patience = static_cast<double>(settings_.patience.count()) / 1000;
  const Stopwatch watch;
  std::optional<double> interrupted;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kBetweenLooks, [&] { return joined_; })) {
    if (!interrupted && settings_.interrupted && *settings_.interrupted) interrupted = watch.seconds();
    if (interrupted && watch.seconds() > *interrupted + kGrace) exit_without_temporaries(kInterrupted);
    if (watch.seconds() < patience + kGrace) continue;
    spdlog::error(
        "{}: expected the store of rank 0 or of the launcher, found what has not answered for {:.0f} s: "
        "it hangs, or another program listens there (MASTER_ADDR, MASTER_PORT)",
        address_.text(), watch.seconds());
    exit_without_temporaries(kFailed);
  }
}

void WaitingLine::look() {
  constexpr double kSeconds = 5;
  // A process that gives up earlier has its own line to say, however slow the machine is.
  const bool gives_up_before = settings_.patience <= std::chrono::duration<double>(kSeconds);
  if (said_ || gives_up_before || watch_.seconds() < kSeconds) return;
  said_ = true;
  spdlog::warn(
      "waiting for the other processes at {}, for {} s at most (--join-timeout): the environment says that "
      "this is rank {} of {} (RANK, WORLD_SIZE or the like, which a process on its own must not have)",
      StoreAddress{placement_.address, placement_.port}.text(),
      std::chrono::duration_cast<std::chrono::seconds>(settings_.patience).count(), placement_.rank,
      placement_.size);
}

Store connect(const Placement& placement, const JoinSettings& settings) {
  constexpr std::chrono::milliseconds kAttempt{2000};
  const StoreAddress address{placement.address, placement.port};
  const Stopwatch watch;
  WaitingLine line(placement, settings);
  while (true) {
    check_interrupted(settings);
    try {
      return Store::connect(address, kAttempt);
    } catch (const RunError&) {
      // Rank 0, which speaks for all, is not there.
      if (placement.local_rank == 0 || placement.rank == 1) line.look();
      if (watch.seconds() * 1000 > static_cast<double>(settings.patience.count())) throw;
    }
  }
}

void check_run(Store& store, const Placement& placement, const JoinSettings& settings) {
  for (const Stopwatch watch; !store.has(kRunName); std::this_thread::sleep_for(kBetweenLooks)) {
    check_interrupted(settings);
    if (watch.seconds() * 1000 > static_cast<double>(settings.patience.count()))
      throw RunError(fmt::format("{}: expected the store of rank 0, found one that another program opened",
                                 store.address().text()));
  }
  if (const auto run = store.get(kRunName); run != placement.run)
    throw Stranger(fmt::format(
        "{}: expected the store of this run, {}, found that of another one, {}, which goes on: name another "
        "port (MASTER_PORT)",
        store.address().text(), placement.run, run));
}

}  // namespace transformer::distributed
