#include "transformer/base/stop_requests.h"

#include <utility>

namespace transformer {

StopRequests::Answer StopRequests::take(const Signal& signal, Time time) {
  constexpr std::chrono::milliseconds kMoment{200};
  const bool first = !std::exchange(asked_, true);
  const bool soon = time - std::exchange(last_time_, time) < kMoment;
  const bool again = std::exchange(last_, signal) == signal && signal.sender && soon;
  auto& requests = signal.sender == launcher_ ? of_launcher_ : of_others_;
  if (!again && signal.number != SIGHUP && ++requests > 1) return Answer::stop_at_once;
  return first ? Answer::stop : Answer::nothing;
}

}  // namespace transformer
