// How long work takes, by the clock of the device that does it.
#pragma once

#include <c10/core/Device.h>

#include <functional>

namespace transformer::bench {

/// Seconds of `count` calls in a row. On the CPU, by the host's clock. On a device, between two events in its
/// queue: neither the first launch nor the wait for the end counts, as long as the host launches faster than
/// the device computes.
double device_seconds(const std::function<void()>& work, int count, const c10::Device& device);

/// Seconds of one call: the least of several measurements, after a call that does not count. On a device
/// each measurement takes so many calls that it lasts some 20 ms.
double least_seconds(const std::function<void()>& work, const c10::Device& device);

}  // namespace transformer::bench
