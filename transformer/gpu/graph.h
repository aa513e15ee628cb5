// CUDA's graphs: a device's work is recorded once and then asked for as a whole, which costs the host a
// single launch. LibTorch's at::cuda::CUDAGraph does it. Its functions are looked up when a program runs,
// since their header needs CUDA's.
#pragma once

#include <torch/types.h>

#include <functional>
#include <string>
#include <utility>

namespace transformer::gpu {

/// Memory of graphs that are never at work at the same time.
using GraphPool = std::pair<unsigned long long, unsigned long long>;

/// Why a device has no graphs; empty if it has. The environment's TRANSFORMER_GPU_DRIVER may bring some to
/// another device than CUDA, as it does kernels (driver.h).
const std::string& graph_problem(const torch::Device& device);

/// Whether what computes there may be graphs: the device has some, device_choices() want them, and results
/// need not be equal to the last bit, which nobody promises of a graph and of what it stands for.
bool may_be_graphs(const torch::Device& device);

/// Another one each time. The device has graphs.
GraphPool new_graph_pool(const torch::Device& device);

class Graph {
 public:
  /// What `work` asks of the device is recorded, and not done. It must neither wait for the device nor read
  /// anything back. Memory that it reads and that was there before must stay. What it allocates comes from
  /// the pool. Throws what `work` throws, and c10::Error where CUDA refuses; then the device is as before.
  Graph(const torch::Device& device, const GraphPool& pool, const std::function<void()>& work);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Asks for all of it, on the current stream, with the numbers that the memory has then. Random numbers
  /// follow the device's generator.
  void replay();

 private:
  class Recording;

  torch::Device device_;
  /// LibTorch's object, whose size only its header knows.
  static constexpr std::size_t kRoom = 4096;
  alignas(std::max_align_t) unsigned char object_[kRoom] = {};
};

}  // namespace transformer::gpu
