// NVRTC and CUDA's driver for the fake device, as a library that TRANSFORMER_GPU_DRIVER names. Own kernels
// are compiled with it by the CPU's compiler. They run on the CPU, thread after thread: forwards in one
// launch and backwards in the next, so that a phase which reads what another thread writes in it finds other
// numbers.
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_device/capture.h"
#include "tests/fake_device/counts.h"
#include "tests/fake_device/memory.h"
#include "tests/fake_device/streams.h"

namespace transformer::gpu {
namespace {

/// Blocks of a kernel, forwards or backwards.
using Blocks = std::function<void(bool backwards)>;
/// Makes them of the arguments that a launch is given, which it copies.
using Run = std::function<Blocks(const void* arguments, long long blocks)>;

std::map<std::string, Run>& kernels() {
  static std::map<std::string, Run> all;
  return all;
}

template <typename Kernel>
class Block {
 public:
  Block(const typename Kernel::Arguments& arguments, long long number, bool backwards)
      : arguments_(arguments), number_(number), backwards_(backwards), own_(Kernel::kThreads) {}
  void run() { run_phases(std::make_integer_sequence<int, Kernel::kPhases>{}); }

 private:
  template <int... phases>
  void run_phases(std::integer_sequence<int, phases...> /*all*/) {
    (run_phase<phases>(), ...);
  }
  template <int phase>
  void run_phase() {
    for (int i = 0; i < Kernel::kThreads; ++i) {
      const int thread = backwards_ ? Kernel::kThreads - 1 - i : i;
      Kernel::template run<phase>(arguments_, number_, thread, shared_,
                                  own_[static_cast<std::size_t>(thread)]);
    }
  }

  const typename Kernel::Arguments& arguments_;
  long long number_;
  bool backwards_;
  std::vector<typename Kernel::Own> own_;
  typename Kernel::Shared shared_;
};

struct Registered {
  template <typename Kernel>
  static Registered of(const char* name) {
    kernels()[name] = [](const void* given, long long blocks) -> Blocks {
      auto arguments = *static_cast<const typename Kernel::Arguments*>(given);
      arguments.pointers([](auto*& pointer) {
        using Pointer = std::remove_reference_t<decltype(pointer)>;
        if (pointer != nullptr) pointer = static_cast<Pointer>(test::fake_device::host_address(pointer));
      });
      return [arguments, blocks](bool backwards) {
        for (long long i = 0; i < blocks; ++i)
          Block<Kernel>(arguments, backwards ? blocks - 1 - i : i, backwards).run();
      };
    };
    return {};
  }
};

}  // namespace
}  // namespace transformer::gpu

#define TRANSFORMER_GPU_KERNEL(name, ...) \
  [[maybe_unused]] const auto registered_##name = Registered::of<__VA_ARGS__>(#name);
#include "transformer/gpu/source/cross_entropy.h"
#include "transformer/gpu/source/dropout.h"
#include "transformer/gpu/source/relu_gradient.h"
#include "transformer/gpu/source/residual_norm.h"
#include "transformer/gpu/source/short_attention.h"

namespace {

using transformer::gpu::kernels;
namespace fake_device = transformer::test::fake_device;

constexpr int kDone = 0, kInvalidValue = 1, kCompilation = 6, kNotFound = 500;

struct Program {
  std::string source, log;
};

/// Kernels of a source begin with its name.
bool is_known(const std::string& source) {
  return std::ranges::any_of(kernels(),
                             [&](const auto& kernel) { return kernel.first.starts_with(source + "_"); });
}

}  // namespace

extern "C" {

int nvrtcCreateProgram(void** program, const char* /*text*/, const char* name, int headers,
                       const char* const* texts, const char* const* names) {
  for (int i = 0; i < headers; ++i)
    if (std::strlen(texts[i]) == 0 || std::strlen(names[i]) == 0) return kInvalidValue;
  const std::string file(name);
  const auto begin = file.rfind('/') + 1;
  *program = new Program{file.substr(begin, file.rfind('.') - begin), {}};
  return kDone;
}

int nvrtcCompileProgram(void* given, int count, const char* const* options) {
  auto& program = *static_cast<Program*>(given);
  if (count < 1 || std::strcmp(options[0], "--gpu-architecture=sm_90") != 0)
    program.log = "expected the architecture of the fake device";
  else if (!is_known(program.source))
    program.log = program.source + ".h(1): error: no such kernels\nand more";
  return program.log.empty() ? kDone : kCompilation;
}

int nvrtcGetProgramLogSize(void* program, std::size_t* size) {
  *size = static_cast<Program*>(program)->log.size() + 1;
  return kDone;
}
int nvrtcGetProgramLog(void* program, char* log) {
  const auto& own = static_cast<Program*>(program)->log;
  std::memcpy(log, own.c_str(), own.size() + 1);
  return kDone;
}
int nvrtcGetCUBINSize(void* program, std::size_t* size) {
  *size = static_cast<Program*>(program)->source.size() + 1;
  return kDone;
}
int nvrtcGetCUBIN(void* program, char* binary) {
  const auto& source = static_cast<Program*>(program)->source;
  std::memcpy(binary, source.c_str(), source.size() + 1);
  return kDone;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return kDone;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int kMajor = 75, kMinor = 76;
  if (device != 0 || (attribute != kMajor && attribute != kMinor)) return kInvalidValue;
  *value = attribute == kMajor ? 9 : 0;
  return kDone;
}
int cuModuleLoadData(void** module, const void* binary) {
  static std::deque<std::string> modules;  // as long as the process lives
  *module = &modules.emplace_back(static_cast<const char*>(binary));
  return kDone;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  const auto found = kernels().find(name);
  if (found == kernels().end() || !found->first.starts_with(*static_cast<std::string*>(module)))
    return kNotFound;
  *function = &*found;
  return kDone;
}
int cuLaunchKernel(void* function, unsigned blocks, unsigned /*grid_y*/, unsigned /*grid_z*/,
                   unsigned /*threads*/, unsigned /*y*/, unsigned /*z*/, unsigned /*shared*/, void* stream,
                   void** arguments, void** /*extra*/) {
  // Tests launch on the default stream alone, and graphs are recorded on another one.
  if ((stream != nullptr) != fake_device::capturing()) return kInvalidValue;
  static bool backwards = false;
  const auto& [name, run] = *static_cast<std::pair<const std::string, transformer::gpu::Run>*>(function);
  fake_device::count_launch(name);
  const fake_device::Uncounted uncounted;
  const auto work = run(arguments[0], blocks);
  work(std::exchange(backwards, !backwards));
  fake_device::record([work] { work(std::exchange(backwards, !backwards)); });
  return kDone;
}
int cuGetErrorString(int status, const char** text) {
  *text = status == kNotFound ? "named symbol not found" : "invalid argument";
  return kDone;
}
}

// What LibTorch has for CUDA under these names.
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};

namespace at::cuda {

using Pool = std::pair<unsigned long long, unsigned long long>;

Pool graph_pool_handle();
Pool graph_pool_handle() {
  static unsigned long long last = 0;
  return {0, ++last};
}

struct CUDAGraph {
  explicit CUDAGraph(bool keep);
  ~CUDAGraph();
  void capture_begin(Pool pool, cudaStreamCaptureMode mode);
  void capture_end();
  void replay();

  transformer::test::fake_device::Work work;
};

CUDAGraph::CUDAGraph(bool /*keep*/) {}
CUDAGraph::~CUDAGraph() = default;

void CUDAGraph::capture_begin(Pool pool, cudaStreamCaptureMode mode) {
  TORCH_CHECK(pool.second > 0 && mode == cudaStreamCaptureModeRelaxed, "fake device: another pool or mode");
  fake_device::begin_capture();
}
void CUDAGraph::capture_end() {
  work = fake_device::end_capture();
}
void CUDAGraph::replay() {
  TORCH_CHECK(!fake_device::capturing(), "fake device: a graph in a graph");
  fake_device::count_launch("graph");
  fake_device::replay(work);
}

}  // namespace at::cuda
