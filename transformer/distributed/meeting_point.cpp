#include "transformer/distributed/meeting_point.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <ctime>

#include "transformer/base/stopwatch.h"
#include "transformer/distributed/group.h"

namespace transformer::distributed {
namespace {

using Number = std::atomic_ref<std::uint32_t>;
static_assert(Number::is_always_lock_free);

/// Sleeps while the number is this one, at most that long.
void sleep_at(std::uint32_t* number, std::uint32_t value, std::chrono::nanoseconds most) {
  const timespec time{.tv_sec = 0, .tv_nsec = most.count()};
  ::syscall(SYS_futex, number, FUTEX_WAIT, value, &time, nullptr, 0);
}

void wake_all(std::uint32_t* number) {
  ::syscall(SYS_futex, number, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

MeetingPoint::MeetingPoint(Group& group, std::byte* memory, std::chrono::seconds timeout)
    : group_(group),
      arrived_(reinterpret_cast<std::uint32_t*>(memory)),
      round_(reinterpret_cast<std::uint32_t*>(memory + kBytes / 2)),
      timeout_(timeout) {}

void MeetingPoint::come() {
  const auto round = Number(*round_).load(std::memory_order_acquire);  // before the last one can change it
  if (Number(*arrived_).fetch_add(1, std::memory_order_acq_rel) + 1 < group_.size())
    return wait_beyond(round);
  Number(*arrived_).store(0, std::memory_order_relaxed);
  Number(*round_).store(round + 1, std::memory_order_release);
  wake_all(round_);
}

void MeetingPoint::wait_beyond(std::uint32_t round) {
  const auto is_over = [&] { return Number(*round_).load(std::memory_order_acquire) != round; };
  constexpr double kSpin = 50e-6;  // seconds: about what it takes to fall asleep and to be woken
  for (const Stopwatch spinning; spinning.seconds() < kSpin;)
    if (is_over()) return;
  constexpr std::chrono::milliseconds kLook{20};  // between two looks at how the run is
  constexpr double kAwake = 1;                    // seconds: what takes longer, this process was stopped
  double waited = 0;
  for (Stopwatch watch; !is_over(); waited += std::min(watch.restart(), kAwake)) {
    group_.check();
    if (waited > static_cast<double>(timeout_.count())) throw RunEnded(group_.explain(kWaitedTooLong));
    sleep_at(round_, round, kLook);
  }
}

}  // namespace transformer::distributed
