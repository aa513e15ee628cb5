// The processes of one run: how they come together, watch over each other and stop together. What they
// compute together is in collectives.h.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transformer/distributed/fault.h"
#include "transformer/distributed/placement.h"

namespace transformer::distributed {

class Store;
class Watch;

struct JoinSettings {
  std::chrono::milliseconds patience = std::chrono::minutes(5);  ///< for the others to come
  std::chrono::milliseconds silence = std::chrono::seconds(10);  ///< after which a process counts as dead
  bool listen_publicly = false;
  const std::atomic<bool>* interrupted = nullptr;  ///< this process's; it stops all
};

/// The run ends before it has begun.
class JoinFailed : public RunEnded {
 public:
  JoinFailed(const Fault& fault, bool speaks) : RunEnded(fault), speaks(speaks) {}
  const bool speaks;  ///< as Group::speaks()
};

class Group {
 public:
  /// Waits until all processes are there. Throws:
  /// * InputError for an impossible address.
  /// * InputError for the store of another run, or for a rank of a run that has begun. That run goes on.
  /// * RunError when nobody answers at the address.
  /// * Interrupted.
  /// * JoinFailed if two processes have one rank, if a process does not join in time, or if another process
  ///   ends the run.
  explicit Group(const Placement& placement, const JoinSettings& settings = {});
  /// Others miss this process, unless it has left.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::int64_t rank() const { return placement_.rank; }
  std::int64_t size() const { return placement_.size; }
  bool leads() const { return placement_.rank == 0; }  ///< it alone writes files
  const Placement& placement() const { return placement_; }

  /// Set soon after any of the processes was interrupted, at different times in each: all do something about
  /// it when they have agreed to (interrupt_together()).
  const std::atomic<bool>& interrupted() const;

  /// Every process's text, by rank; each gives its own. These wait for as long as all live and throw RunEnded
  /// otherwise; all processes call them in the same order.
  std::vector<std::string> exchange(const std::string& own);
  /// Rank 0's text.
  std::string from_first(const std::string& own);
  /// Whether it is so anywhere.
  bool any(bool here);
  /// Waits until all are here.
  void meet();

  /// Throws RunEnded when the run has ended. Whatever waits for another process calls it now and then.
  void check();

  /// Tells all that the run ends. The first to do so wins. → what it ends for
  Fault end_run(const Fault& fault);
  /// The cause of a failed exchange: the fault that another process reports or that shows within some
  /// seconds. Without one it is `symptom`, as this process's own fault.
  Fault explain(const std::string& symptom);
  /// Whether this process reports the fault that ended the run; true for one process of the run.
  bool speaks();

  /// Waits until all have come here; from then on nobody is missed.
  void leave();

  /// A part of the store for another use.
  Store part_of_store(const std::string& name) const;

 private:
  void come_in(const JoinSettings& settings);
  void wait_for(const std::string& count, std::int64_t number);
  std::string missing_ranks() const;

  Placement placement_;
  std::string prefix_;
  JoinSettings settings_;
  std::unique_ptr<Store> served_;  // rank 0's, where the launcher has none
  std::unique_ptr<Store> store_;
  std::unique_ptr<Watch> watch_;
  std::int64_t exchanges_ = 0;
};

/// Runs `body`, which may throw Interrupted in some of the processes at different times: then all throw it,
/// once all are through. group: null where this process is alone.
void interrupt_together(Group* group, const std::function<void()>& body);

}  // namespace transformer::distributed
