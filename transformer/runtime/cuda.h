// CUDA without a CUDA build: LibTorch's library for it is loaded on demand, so that the same program runs
// where there is none.
#pragma once

#include <cstdint>
#include <string>

namespace transformer::runtime {

/// The result of loading CUDA's libraries.
struct Cuda {
  std::int64_t devices = 0;
  /// Without devices: why, in the loader's or CUDA's own words, and what to do about it.
  std::string problem = {};
  /// Without devices: whether to warn under --device auto, too: the machine has a GPU's driver, or the
  /// libraries are installed and broken.
  bool unexpected = false;
};

/// Loads CUDA's libraries, once in a process. LibTorch looks for them once, too, at the latest when it is
/// seeded, and remembers the answer. If it looks before they are loaded, the result is a problem.
const Cuda& load_cuda();

/// The result if the libraries cannot be loaded. loader: the dynamic loader's message. driver: whether the
/// machine has the driver of an NVIDIA GPU.
Cuda not_loaded(const std::string& loader, bool driver);

/// The result if the libraries are loaded and find no device. cuda: CUDA's message.
Cuda no_device(const std::string& cuda, bool driver);

/// Seeds LibTorch's generators of all devices. Choose the device first.
void seed_generators(std::uint64_t seed);

/// Whether load_cuda() was called after seed_generators(): a mistake of the program, wherever it runs.
bool chose_device_too_late();

}  // namespace transformer::runtime
