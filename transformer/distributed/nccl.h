// The functions of NCCL's C interface that exchanges need, in the library that LibTorch brings for CUDA. They
// are looked up when a program runs, so that it needs neither NCCL nor CUDA to be built.
#pragma once

#include <torch/types.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace transformer::distributed {

/// Types, values and order of arguments are those of nccl.h, version 2.10 and later.
struct Nccl {
  struct UniqueId {
    std::array<char, 128> bytes;
  };
  using Communicator = void*;
  using Stream = void*;  // CUDA's

  int (*get_unique_id)(UniqueId*) = nullptr;
  int (*begin)(Communicator*, int size, UniqueId, int rank) = nullptr;
  int (*end)(Communicator) = nullptr;
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation, Communicator,
                    Stream) = nullptr;
  int (*broadcast)(const void* from, void* to, std::size_t count, int type, int root, Communicator,
                   Stream) = nullptr;
  const char* (*error_text)(int) = nullptr;

  static constexpr int kSuccess = 0, kSum = 0;

  /// ncclDataType_t; nothing for a type that NCCL does not add up.
  static std::optional<int> type_of(torch::ScalarType type);
};

/// What was found, or why it was not.
struct LoadedNccl {
  Nccl functions = {};
  std::string problem = {};  ///< empty if there is one
};

/// Looks once in a process: for the library that the environment's TRANSFORMER_NCCL names, else for
/// libnccl.so.2.
const LoadedNccl& load_nccl();

/// From the library of that name or path.
LoadedNccl load_nccl(const std::string& library);

}  // namespace transformer::distributed
