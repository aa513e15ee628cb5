// What a device does in a stretch of work, kernel by kernel.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <string>

namespace transformer::bench {

/// Runs the work under LibTorch's profiler and writes operations, launches, kernels and copies to a file in
/// Chrome's trace format (chrome://tracing, ui.perfetto.dev). Throws RunError when it cannot be written.
void trace(const std::function<void()>& work, const c10::Device& device, const std::string& file);

/// Runs the work between cudaProfilerStart and cudaProfilerStop, for a profiler that was told to wait for
/// them: ncu --profile-from-start off. Throws RunError where the process has no CUDA.
void mark_for_profiler(const std::function<void()>& work);

}  // namespace transformer::bench
