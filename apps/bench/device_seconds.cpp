#include "apps/bench/device_seconds.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

#include "transformer/base/stopwatch.h"

namespace transformer::bench {
namespace {

constexpr int kMeasurements = 9, kFewest = 3;
constexpr double kEnough = 0.5, kLongEnough = 0.02;
constexpr int kMostCalls = 1000;

/// So many that a measurement is long enough.
int calls_for(double seconds) {
  return std::clamp(static_cast<int>(kLongEnough / std::max(seconds, 1e-9)), 1, kMostCalls);
}

}  // namespace

double device_seconds(const std::function<void()>& work, int count, const c10::Device& device) {
  const auto repeat = [&] {
    for (int i = 0; i < count; ++i) work();
  };
  if (device.is_cpu()) {
    const Stopwatch watch;
    repeat();
    return watch.seconds();
  }
  const auto stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  c10::Event begin(device.type(), c10::EventFlag::BACKEND_DEFAULT),
      end(device.type(), c10::EventFlag::BACKEND_DEFAULT);
  begin.record(stream);
  repeat();
  end.record(stream);
  end.synchronize();
  return begin.elapsedTime(end) / 1e3;
}

double least_seconds(const std::function<void()>& work, const c10::Device& device) {
  work();
  double least = 1e9, total = 0;
  int calls = device.is_cpu() ? 1 : calls_for(device_seconds(work, 1, device));
  for (int i = 0; i < kMeasurements && (i < kFewest || total < kEnough); ++i) {
    const double seconds = device_seconds(work, calls, device);
    least = std::min(least, seconds / calls);
    total += seconds;
  }
  return least;
}

}  // namespace transformer::bench
