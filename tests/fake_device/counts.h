// What the parts of the fake device tell its counters.
#pragma once

#include <string>

namespace transformer::test::fake_device {

enum class Copy { to_device, to_host, on_device };

void count_launch(const std::string& operation);
void count_copy(Copy kind, bool blocking);
void count_read();

/// While it lives, this thread's copies and reads are not counted: those that an operation itself makes.
class Uncounted {
 public:
  Uncounted();
  ~Uncounted();
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
};

/// Whether this thread has none of these.
bool counts_copies();

/// While it lives, this thread's operations are not counted: those of a graph, which is one.
class Unlaunched {
 public:
  Unlaunched();
  ~Unlaunched();
  Unlaunched(const Unlaunched&) = delete;
  Unlaunched& operator=(const Unlaunched&) = delete;
};

}  // namespace transformer::test::fake_device
