// A barrier for the processes of one host, in memory that they share.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace transformer::distributed {

class Group;

/// Meeting takes microseconds if all come at the same time. A process that waits for longer sleeps, and
/// leaves its core to others.
class MeetingPoint {
 public:
  static constexpr std::size_t kBytes = 128;

  /// memory: kBytes, aligned to 64, which all processes see, zeros at first.
  MeetingPoint(Group& group, std::byte* memory, std::chrono::seconds timeout);

  /// Returns when all have come: each then sees what the others wrote before. Throws RunEnded when the run
  /// ends meanwhile, or when the others take longer than the timeout.
  void come();

 private:
  void wait_beyond(std::uint32_t round);

  Group& group_;
  std::uint32_t *arrived_, *round_;
  std::chrono::seconds timeout_;
};

}  // namespace transformer::distributed
