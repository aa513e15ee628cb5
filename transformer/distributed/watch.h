// Threads of a process that tell the others that it lives, and see whether they do.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "transformer/distributed/fault.h"
#include "transformer/distributed/placement.h"
#include "transformer/distributed/store.h"

namespace transformer::distributed {

struct WatchSettings {
  std::chrono::milliseconds silence;
  const std::atomic<bool>* interrupted = nullptr;  ///< this process's own, which all are to know of
};

/// Each process counts up a beat in the store and looks at that of the next rank, so that all are watched,
/// however many they are. A fault ends every process: the one that knows of it by itself (knows()), and, some
/// seconds later, those that are stuck, from here.
class Watch {
 public:
  Watch(Store store, const Placement& placement, const WatchSettings& settings);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  const std::atomic<bool>& interrupted() const { return interrupted_; }

  std::optional<Fault> fault() const;
  std::optional<Fault> wait_for_fault(std::chrono::milliseconds patience);
  /// The first fault counts. → which that is
  Fault end_run(const Fault& fault);
  /// Whether this process is the one that says it aloud; true once.
  bool speaks();
  /// The process ends by itself, soon.
  void knows();
  /// It is done, and not to be missed.
  void leave();

 private:
  void beat();
  void look_after_store();
  void take(const Fault& fault);
  const char* store_keeper() const;
  bool pause();  // false when this ends
  void end_process(const Fault& fault);
  std::string next_is_silent();

  Store store_;
  const Placement placement_;
  const WatchSettings settings_;
  std::atomic<bool> interrupted_ = false;
  std::atomic<std::int64_t> answers_ = 0;  ///< of the store
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Fault> fault_;
  bool store_is_gone_ = false;
  bool known_ = false, done_ = false;
  std::thread beats_, looks_;
};

}  // namespace transformer::distributed
