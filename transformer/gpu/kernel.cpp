#include "transformer/gpu/kernel.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/runtime/device_choices.h"

namespace transformer::gpu {

std::string_view phases_text();
std::string_view row_mask_text();
std::string_view products_text();
std::string_view head_rows_text();

namespace {

/// A program that NVRTC compiles, and the machine code that comes of it.
std::vector<char> compiled(const Driver& driver, const Source& source, const std::string& architecture) {
  const std::string folder = "transformer/gpu/source/", own = fmt::format("{}{}.h", folder, source.name),
                    text = fmt::format("#include \"{}\"\n", own);
  const std::array headers{std::pair{folder + "phases.h", std::string(phases_text())},
                           std::pair{folder + "row_mask.h", std::string(row_mask_text())},
                           std::pair{folder + "products.h", std::string(products_text())},
                           std::pair{folder + "head_rows.h", std::string(head_rows_text())},
                           std::pair{own, std::string(source.text)}};
  std::array<const char*, headers.size()> names{}, texts{};
  for (std::size_t i = 0; i < headers.size(); ++i) {
    names[i] = headers[i].first.c_str();
    texts[i] = headers[i].second.c_str();
  }
  Driver::Program program = nullptr;
  if (driver.create_program(&program, text.c_str(), own.c_str(), texts.size(), texts.data(), names.data()) !=
      0)
    throw RunError("NVRTC makes no program");
  const std::shared_ptr<void> end(nullptr, [&](void*) { driver.destroy_program(&program); });
  const auto option = "--gpu-architecture=" + architecture;
  const std::array options{option.c_str(), "--std=c++17"};
  std::size_t size = 0;
  if (driver.compile_program(program, options.size(), options.data()) != 0) {
    std::string log;
    if (driver.log_size(program, &size) == 0) log.resize(size);
    if (size > 0) driver.log(program, log.data());
    throw RunError(fmt::format("NVRTC does not compile {} for {}: {}", source.name, architecture,
                               log.substr(0, log.find('\n'))));
  }
  std::vector<char> binary;
  if (driver.binary_size(program, &size) != 0 || size == 0) throw RunError("NVRTC gives no machine code");
  binary.resize(size);
  if (driver.binary(program, binary.data()) != 0) throw RunError("NVRTC gives no machine code");
  return binary;
}

}  // namespace

Kernels::Kernels(const Source& source, const torch::Device& device) : device_(device), source_(source.name) {
  const auto& loaded = driver_of(device);
  if (!loaded.problem.empty()) throw RunError(loaded.problem);
  driver_ = loaded.functions;
  const c10::DeviceGuard guard(device_);
  int minor = 0;
  const int number = device.has_index() ? device.index() : 0;
  check(driver_.device_attribute(&compute_major_, Driver::kComputeMajor, number), "a device's number");
  check(driver_.device_attribute(&minor, Driver::kComputeMinor, number), "a device's number");
  const auto binary = compiled(driver_, source, fmt::format("sm_{}{}", compute_major_, minor));
  check(driver_.load_module(&module_, binary.data()), "machine code");
}

void Kernels::check(int status, const std::string& what) const {
  if (status == 0) return;
  const char* words = nullptr;
  driver_.error_text(status, &words);
  throw RunError(fmt::format("{}: CUDA refuses {}: {}", source_, what, words ? words : "no reason given"));
}

Driver::Function Kernels::function(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  auto& function = functions_[name];
  if (function == nullptr) check(driver_.find_function(&function, module_, name.c_str()), name);
  return function;
}

void Kernels::launch(const char* name, const char* ending, Index blocks, int threads, void* arguments) const {
  if (blocks == 0) return;
  const auto whole = fmt::format("{}{}", name, ending);
  const c10::DeviceGuard guard(device_);
  const auto stream = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  check(driver_.launch(function(whole), static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(threads),
                       1, 1, 0, stream.native_handle(), &arguments, nullptr),
        whole);
}

const Kernels* usable_kernels(const Source& source, const torch::Device& device,
                              const std::function<bool(const Kernels&)>& agree) {
  if (device.is_cpu() || !runtime::device_choices().own_kernels) return nullptr;
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<Kernels>> known;
  const std::lock_guard lock(mutex);
  const auto [place, added] = known.try_emplace({std::string(source.name), device.str()});
  if (!added) return place->second.get();
  try {
    auto kernels = std::make_unique<Kernels>(source, device);
    if (!agree(*kernels))
      throw RunError(fmt::format("{} computes other numbers than its definition", source.name));
    place->second = std::move(kernels);
  } catch (const std::exception& error) {
    static std::once_flag warned;
    // A device without a driver is the tests'.
    if (device.is_cuda() || driver_of(device).problem.empty())
      std::call_once(warned, [&] {
        spdlog::warn("{}: LibTorch's operations compute, since own kernels cannot be used: {}", device.str(),
                     error.what());
      });
  }
  return place->second.get();
}

}  // namespace transformer::gpu
