#include "tests/fake_device/capture.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <atomic>
#include <mutex>

#include "tests/fake_device/counts.h"
#include "tests/fake_device/memory.h"

namespace transformer::test::fake_device {
namespace {

std::atomic<bool> on{false};

/// Never destroyed: tensors may outlive what is static.
struct Recording {
  std::mutex mutex;
  Work work;
  Contents before;
};

Recording& recording() {
  static auto* one = new Recording;
  return *one;
}

}  // namespace

bool capturing() {
  return on;
}

void begin_capture() {
  TORCH_CHECK(!on, "fake device: a graph is being recorded already");
  recording().before = contents();
  on = true;
}

Work end_capture() {
  on = false;
  set_contents(recording().before);
  const std::lock_guard lock(recording().mutex);
  recording().before.clear();
  return std::exchange(recording().work, {});
}

void record(std::function<void()> again) {
  if (!on) return;
  const std::lock_guard lock(recording().mutex);
  recording().work.push_back(std::move(again));
}

void refuse_in_capture(const std::string& what) {
  TORCH_CHECK(!on, "fake device: operation not permitted when stream is capturing: ", what);
}

void replay(const Work& work) {
  const Unlaunched all;
  const Uncounted copies;
  const at::AutoDispatchBelowADInplaceOrView below;
  for (const auto& again : work) again();
}

void copy_results(const at::Tensor& from, const at::Tensor& to) {
  if (!from.defined() || from.is_same(to)) return;
  TORCH_CHECK(from.sizes() == to.sizes(), "fake device: a graph's operation gives another shape again");
  if (from.numel() == 0 || from.data_ptr() == to.data_ptr()) return;
  on_host(to).copy_(on_host(from));
}

}  // namespace transformer::test::fake_device
