#include "transformer/gpu/graph.h"

#include <ATen/Context.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "transformer/base/library_functions.h"
#include "transformer/gpu/driver.h"
#include "transformer/runtime/device_choices.h"

namespace transformer::gpu {
namespace {

/// Methods of at::cuda::CUDAGraph, whose first argument is the object.
struct GraphFunctions {
  void (*construct)(void*, bool keep) = nullptr;
  void (*destroy)(void*) = nullptr;
  void (*begin)(void*, GraphPool, int mode) = nullptr;
  void (*end)(void*) = nullptr;
  void (*replay)(void*) = nullptr;
  GraphPool (*new_pool)() = nullptr;
  std::string problem = {};

  /// Other threads may ask CUDA for what they like while one is recorded: cudaStreamCaptureModeRelaxed.
  static constexpr int kRelaxed = 2;

  /// An empty name is a problem.
  explicit GraphFunctions(const std::string& name) {
    if (name.empty()) {
      problem = "the device has no driver";
      return;
    }
    LibraryFunctions library(name, "LibTorch's graphs");
    library.find(construct, "_ZN2at4cuda9CUDAGraphC1Eb");
    library.find(destroy, "_ZN2at4cuda9CUDAGraphD1Ev");
    library.find(begin, "_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode");
    library.find(end, "_ZN2at4cuda9CUDAGraph11capture_endEv");
    library.find(replay, "_ZN2at4cuda9CUDAGraph6replayEv");
    library.find(new_pool, "_ZN2at4cuda17graph_pool_handleEv");
    problem = library.problem();
  }
};

const GraphFunctions& functions_of(const torch::Device& device) {
  if (device.is_cuda()) {
    static const GraphFunctions cuda(library_of(device, "libtorch_cuda.so"));
    return cuda;
  }
  static const GraphFunctions other(library_of(device, ""));
  return other;
}

}  // namespace

const std::string& graph_problem(const torch::Device& device) {
  static const std::string cpu = "the CPU has none";
  return device.is_cpu() ? cpu : functions_of(device).problem;
}

bool may_be_graphs(const torch::Device& device) {
  return runtime::device_choices().graphs && !at::globalContext().deterministicAlgorithms() &&
         graph_problem(device).empty();
}

GraphPool new_graph_pool(const torch::Device& device) {
  return functions_of(device).new_pool();
}

/// While it lives, the current stream's work is recorded. It is another stream: the default one cannot be.
class Graph::Recording {
 public:
  Recording(Graph& graph, const GraphPool& pool) : graph_(graph), guard_(graph.device_.type()) {
    before_ = guard_.exchangeStream(guard_.getStreamFromGlobalPool(graph_.device_));
    try {
      functions_of(graph_.device_).begin(graph_.object_, pool, GraphFunctions::kRelaxed);
    } catch (...) {
      guard_.exchangeStream(before_);
      throw;
    }
  }
  ~Recording() {
    if (!ended_) try {
        functions_of(graph_.device_).end(graph_.object_);
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): another error is on its way
      }
    guard_.exchangeStream(before_);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void end() {
    ended_ = true;
    functions_of(graph_.device_).end(graph_.object_);
  }

 private:
  Graph& graph_;
  c10::impl::VirtualGuardImpl guard_;
  c10::Stream before_{c10::Stream::DEFAULT, graph_.device_};
  bool ended_ = false;
};

Graph::Graph(const torch::Device& device, const GraphPool& pool, const std::function<void()>& work)
    : device_(device) {
  const c10::DeviceGuard guard(device_);
  const auto& functions = functions_of(device_);
  functions.construct(object_, /*keep=*/false);
  try {
    Recording recording(*this, pool);
    work();
    recording.end();
  } catch (...) {
    functions.destroy(object_);
    throw;
  }
}

Graph::~Graph() {
  functions_of(device_).destroy(object_);
}

void Graph::replay() {
  const c10::DeviceGuard guard(device_);
  functions_of(device_).replay(object_);
}

}  // namespace transformer::gpu
