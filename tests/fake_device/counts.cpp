#include "tests/fake_device/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/fake_device/fake_device.h"

namespace transformer::test::fake_device {
namespace {

thread_local int uncounted = 0, unlaunched = 0;

/// Never destroyed: tensors may outlive it.
struct Ledger {
  std::mutex mutex;
  Counts counts;
};

Ledger& ledger() {
  static auto* all = new Ledger;
  return *all;
}

/// Programs end by end_process().
const bool registered = std::at_quick_exit([] {
                          if (const char* path = std::getenv("FAKE_DEVICE_REPORT"))
                            std::ofstream(path) << counts().table();
                        }) == 0;

}  // namespace

Uncounted::Uncounted() {
  ++uncounted;
}

Uncounted::~Uncounted() {
  --uncounted;
}

bool counts_copies() {
  return uncounted == 0;
}

Unlaunched::Unlaunched() {
  ++unlaunched;
}

Unlaunched::~Unlaunched() {
  --unlaunched;
}

void count_launch(const std::string& operation) {
  if (unlaunched > 0) return;
  const std::lock_guard lock(ledger().mutex);
  ++ledger().counts.launches;
  ++ledger().counts.operations[operation];
}

void count_copy(Copy kind, bool blocking) {
  if (uncounted > 0) return;
  if (kind == Copy::on_device) return count_launch("aten::copy_");
  const std::lock_guard lock(ledger().mutex);
  auto& counts = ledger().counts;
  ++(kind == Copy::to_device ? counts.to_device : counts.to_host);
  if (blocking) ++counts.waits;
}

void count_read() {
  if (uncounted > 0) return;
  const std::lock_guard lock(ledger().mutex);
  ++ledger().counts.reads;
  ++ledger().counts.waits;
}

Counts counts() {
  const std::lock_guard lock(ledger().mutex);
  return ledger().counts;
}

void reset() {
  const std::lock_guard lock(ledger().mutex);
  ledger().counts = {};
}

std::string Counts::table() const {
  auto text = fmt::format("launches {}\nto_device {}\nto_host {}\nreads {}\nwaits {}\n", launches, to_device,
                          to_host, reads, waits);
  std::vector<std::pair<std::int64_t, std::string>> by_count;
  for (const auto& [name, count] : operations) by_count.emplace_back(-count, name);
  std::ranges::sort(by_count);
  for (const auto& [count, name] : by_count) text += fmt::format("{:>8} {}\n", -count, name);
  return text;
}

}  // namespace transformer::test::fake_device
