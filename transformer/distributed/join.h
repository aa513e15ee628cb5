// How a process finds the store at which its run meets. For group.cpp alone.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "transformer/base/error.h"
#include "transformer/base/stopwatch.h"
#include "transformer/distributed/group.h"
#include "transformer/distributed/store.h"

namespace transformer::distributed {

inline constexpr std::chrono::milliseconds kBetweenLooks{20};  ///< between two looks at the store
inline constexpr const char* kRunName = "run";                 ///< in the store that rank 0 opened

/// This process does not belong to the run whose store it found, which goes on.
class Stranger : public InputError {
 public:
  using InputError::InputError;
};

/// Throws Interrupted where this process is.
void check_interrupted(const JoinSettings& settings);

/// c10d waits for an answer without end, deaf to signals, where what listens at the address is no store, or
/// hangs. While this lives, the process ends some time after it should have stopped waiting by itself.
class JoinGuard {
 public:
  JoinGuard(const StoreAddress& address, const JoinSettings& settings);
  ~JoinGuard();
  JoinGuard(const JoinGuard&) = delete;
  JoinGuard& operator=(const JoinGuard&) = delete;

 private:
  void look();

  const StoreAddress address_;
  const JoinSettings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool joined_ = false;
  std::thread thread_;
};

/// Says once, to whoever did not know that there should be others, that they are waited for.
class WaitingLine {
 public:
  WaitingLine(const Placement& placement, const JoinSettings& settings)
      : placement_(placement), settings_(settings) {}

  void look();

 private:
  const Placement& placement_;
  const JoinSettings& settings_;
  const Stopwatch watch_;
  bool said_ = false;
};

/// In short attempts, between which an interruption is answered.
Store connect(const Placement& placement, const JoinSettings& settings);

/// Throws Stranger for the store of another run, and RunError for one that another program opened: whoever
/// opened the store says at once which run it is of.
void check_run(Store& store, const Placement& placement, const JoinSettings& settings);

}  // namespace transformer::distributed
