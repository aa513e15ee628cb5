#include "transformer/base/stop_requests.h"

#include <utility>

namespace transformer {

StopRequests::Answer StopRequests::take(const Signal& signal, Time time) {
  constexpr std::chrono::milliseconds kMoment{200};
  const bool first = of_launcher_ + of_others_ == 0;
  const bool again =
      std::exchange(last_, signal) == signal && signal.sender && time - last_time_ < kMoment && !first;
  last_time_ = time;
  if (again || (!first && signal.number == SIGHUP)) return Answer::nothing;
  auto& requests = signal.sender == launcher_ ? of_launcher_ : of_others_;
  if (++requests > 1) return Answer::stop_at_once;
  return first ? Answer::stop : Answer::nothing;
}

}  // namespace transformer
