#include "transformer/runtime/threads.h"

#include <ATen/Parallel.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace transformer::runtime {
namespace {

/// Besides the pools': those that answer signals, save, watch other processes and exchange sums with them.
constexpr int kBeside = 8;

/// LibTorch has OpenMP's threads and, for other operations, those of pthreadpool: one fewer in each than
/// compute, since the calling thread computes, too.
constexpr int kPools = 2;

int most_on_this_machine(int wanted) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());  // 0: not known
  if (cores == 0 || wanted <= cores * kMostThreadsPerCore) return wanted;
  const int most = cores * kMostThreadsPerCore;
  spdlog::warn("{} threads on {} {} would mostly wait for each other: {} are used", wanted, cores,
               cores == 1 ? "core" : "cores", most);
  return most;
}

}  // namespace

int grantable_threads(int most) {
  std::atomic<bool> counted = false;
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(most));
  try {
    while (static_cast<int>(threads.size()) < most) threads.emplace_back([&] { counted.wait(false); });
  } catch (const std::exception&) {
    // Either the thread is refused or the memory for it.
  }
  counted = true;
  counted.notify_all();
  return static_cast<int>(threads.size());
}

int further_threads(int computing) {
  return kPools * (computing - 1) + kBeside;
}

int computing_threads(int wanted, int granted) {
  if (granted >= further_threads(wanted)) return wanted;
  return 1 + std::max(0, granted - kBeside) / kPools;
}

int use_threads(int wanted) {
  const int asked = most_on_this_machine(wanted > 0 ? wanted : at::get_num_threads());
  const int granted = grantable_threads(further_threads(asked));
  const int used = computing_threads(asked, granted);
  if (used < asked)
    spdlog::warn(
        "the system grants {} more threads (a limit on processes or on memory): {} instead of {} compute",
        granted, used, asked);
  if (wanted > 0 || used != at::get_num_threads()) at::set_num_threads(used);
  return used;
}

}  // namespace transformer::runtime
