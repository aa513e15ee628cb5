#include "apps/bench/profile.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <filesystem>
#include <set>

#include "transformer/base/error.h"

namespace transformer::bench {

void trace(const std::function<void()>& work, const c10::Device& device, const std::string& file) {
  namespace profiler = torch::autograd::profiler;
  using torch::profiler::impl::ActivityType;
  const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
  std::set<ActivityType> activities{ActivityType::CPU};
  if (device.is_cuda()) activities.insert(ActivityType::CUDA);
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  work();
  profiler::disableProfiler()->save(file);
  std::error_code error;
  if (std::filesystem::file_size(file, error) == 0 || error)
    throw RunError(fmt::format("{}: the trace cannot be written", file));
}

void mark_for_profiler(const std::function<void()>& work) {
  // The library is the one that LibTorch has loaded; no header of CUDA is needed for two functions without
  // arguments.
  using Function = int (*)();
  const auto start = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "cudaProfilerStart"));
  const auto stop = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "cudaProfilerStop"));
  if (start == nullptr || stop == nullptr) throw RunError("--mark-update: CUDA's runtime is not loaded");
  start();
  work();
  stop();
}

}  // namespace transformer::bench
