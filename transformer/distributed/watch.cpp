#include "transformer/distributed/watch.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "transformer/base/signals.h"
#include "transformer/base/temporary.h"

namespace transformer::distributed {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kBeat{500};
constexpr const char* kStopName = "stop";

std::string beat_name(std::int64_t rank) {
  return fmt::format("beat/{}", rank);
}

std::string left_name(std::int64_t rank) {
  return fmt::format("left/{}", rank);
}

/// How long something has been silent, in time that this process was awake: while it was stopped itself, or
/// its machine was, it could not hear anything.
class Silence {
 public:
  void heard() { length_ = milliseconds(0); }
  milliseconds length() {
    const auto now = Clock::now();
    length_ += std::min(std::chrono::duration_cast<milliseconds>(now - last_), 2 * kBeat);
    last_ = now;
    return length_;
  }

 private:
  Clock::time_point last_ = Clock::now();
  milliseconds length_{0};
};

}  // namespace

std::string to_text(const Fault& fault) {
  return fmt::format("{} {}", fault.status, fault.cause);
}

Fault fault_from_text(const std::string& text) {
  const auto space = text.find(' ');
  return {.cause = space == std::string::npos ? text : text.substr(space + 1),
          .status = text.starts_with("2 ") ? 2 : 1};
}

Watch::Watch(Store store, const Placement& placement, const WatchSettings& settings)
    : store_(std::move(store)), placement_(placement), settings_(settings) {
  const DeafThreads signals_pass_by;
  beats_ = std::thread([this] { beat(); });
  looks_ = std::thread([this] { look_after_store(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  beats_.join();
  looks_.join();
}

std::optional<Fault> Watch::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

std::optional<Fault> Watch::wait_for_fault(milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return fault_.has_value(); });
  return fault_;
}

void Watch::take(const Fault& fault) {
  {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = fault;
  }
  changed_.notify_all();
}

Fault Watch::end_run(const Fault& fault) {
  try {
    take(fault_from_text(store_.set_once(kFaultName, to_text(fault))));
  } catch (const StoreGone&) {
    take(fault);
  }
  knows();
  return *this->fault();
}

bool Watch::speaks() {
  {
    const std::lock_guard lock(mutex_);
    // Then nobody knows of the others any more: one on each machine, and whoever follows rank 0.
    if (store_is_gone_) return placement_.local_rank == 0 || placement_.rank == 1;
  }
  try {
    return store_.add(kSpokenName, 1) == 1;
  } catch (const StoreGone&) {
    return placement_.local_rank == 0 || placement_.rank == 1;
  }
}

void Watch::knows() {
  const std::lock_guard lock(mutex_);
  known_ = true;
}

void Watch::leave() {
  store_.set(left_name(placement_.rank), "");
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
}

const char* Watch::store_keeper() const {
  return placement_.store_is_hosted ? "the launcher" : "rank 0";
}

bool Watch::pause() {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, kBeat, [&] { return done_; });
}

std::string Watch::next_is_silent() {
  const auto next = (placement_.rank + 1) % placement_.size;
  if (store_.has(left_name(next))) return "";
  return fmt::format("{}: has not been heard of for {:.0f} s: it died, hangs, or cannot be reached",
                     store_.get(fmt::format("who/{}", next)),
                     static_cast<double>(settings_.silence.count()) / 1000);
}

void Watch::beat() {
  const auto next = (placement_.rank + 1) % placement_.size;
  std::int64_t last = -1;
  Silence silence;
  try {
    do {
      store_.add(beat_name(placement_.rank), 1);
      if (settings_.interrupted && *settings_.interrupted && !interrupted_) store_.set(kStopName, "");
      if (!interrupted_ && store_.has(kStopName)) interrupted_ = true;
      if (store_.has(kFaultName)) return take(fault_from_text(store_.get(kFaultName)));
      if (const auto beats = store_.add(beat_name(next), 0); std::exchange(last, beats) != beats)
        silence.heard();
      if (silence.length() > settings_.silence) {
        if (const auto cause = next_is_silent(); !cause.empty())
          return take(fault_from_text(store_.set_once(kFaultName, to_text({.cause = cause}))));
        silence.heard();
      }
      ++answers_;
    } while (pause());
  } catch (const StoreGone& error) {
    {
      const std::lock_guard lock(mutex_);
      store_is_gone_ = true;
    }
    take({.cause = fmt::format("{}: {}", store_keeper(), error.what())});
  }
}

/// Ends the process if the computing thread does not react to a fault. A store that hangs shows on this
/// thread alone, because threads that ask the store wait for its answer.
void Watch::look_after_store() {
  constexpr milliseconds kGrace{4000}, kGraceOfThoseWhoKnow{12000};
  std::int64_t last = -1;
  Silence store, fault;
  while (pause()) {
    if (const auto found = this->fault()) {
      bool known = false;
      {
        const std::lock_guard lock(mutex_);
        known = known_;
      }
      if (fault.length() > (known ? kGraceOfThoseWhoKnow : kGrace)) end_process(*found);
      continue;
    }
    fault.length();
    fault.heard();
    if (const auto answers = answers_.load(); std::exchange(last, answers) != answers) store.heard();
    if (store.length() <= settings_.silence) continue;
    {
      const std::lock_guard lock(mutex_);
      store_is_gone_ = true;
    }
    take({.cause =
              fmt::format("{}: the store at {} has not answered for {:.0f} s: it hangs, or cannot be reached",
                          store_keeper(), store_.address().text(),
                          static_cast<double>(settings_.silence.count()) / 1000)});
  }
}

void Watch::end_process(const Fault& fault) {
  if (speaks()) spdlog::error("{}", fault.cause);
  exit_without_temporaries(fault.status);
}

}  // namespace transformer::distributed
