// Several processes of one run on this machine, begun and watched as torchrun does.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace transformer::distributed {

struct LaunchSettings {
  std::vector<std::string> command;
  std::int64_t processes = 2;
  const std::atomic<bool>* interrupted = nullptr;  ///< once set, all are asked to stop
};

/// Runs the command so many times beside each other, each with the variables of torchrun (placement.h), and
/// keeps the store that they meet at, on the loopback address. Standard input, output and error are rank 0's;
/// the others have standard error alone. Each has its share of the cores, where OMP_NUM_THREADS does not say
/// otherwise. → the exit status of all. Throws RunError or InputError when one fails and none of them has
/// said why.
int launch(const LaunchSettings& settings);

}  // namespace transformer::distributed
