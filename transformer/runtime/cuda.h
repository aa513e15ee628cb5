// CUDA without a CUDA build: LibTorch's library for it is loaded on demand, so that the same program runs
// where there is none.
#pragma once

#include <cstdint>
#include <string>

namespace transformer::runtime {

/// What came of loading it.
struct Cuda {
  std::int64_t devices = 0;
  /// Without devices: why, in the loader's or CUDA's own words, and what to do about it.
  std::string problem = {};
  /// Without devices: whether somebody who did not ask for one may want to know, since the machine has the
  /// driver of one, or since the libraries are there and broken.
  bool unexpected = false;
};

/// Loads CUDA's libraries, once in a process. LibTorch asks for them once as well, at the latest when it is
/// seeded, and remembers the answer: if that came first, there is a problem, not a device.
const Cuda& load_cuda();

/// What the words of the loader say that could not load the libraries. driver: whether the machine has the
/// driver of an NVIDIA GPU.
Cuda not_loaded(const std::string& loader, bool driver);

/// What CUDA's words say, loaded, that found no device.
Cuda no_device(const std::string& cuda, bool driver);

/// Seeds LibTorch's generators of all devices. The device is chosen before.
void seed_generators(std::uint64_t seed);

/// Whether load_cuda() was called after seed_generators(): a mistake of the program, wherever it runs.
bool chose_device_too_late();

}  // namespace transformer::runtime
