#include "transformer/distributed/nccl.h"

#include <cstdlib>

#include "transformer/base/library_functions.h"

namespace transformer::distributed {
LoadedNccl load_nccl(const std::string& name) {
  LoadedNccl loaded;
  auto& nccl = loaded.functions;
  LibraryFunctions library(name, "NCCL");
  library.find(nccl.get_unique_id, "ncclGetUniqueId");
  library.find(nccl.begin, "ncclCommInitRank");
  library.find(nccl.end, "ncclCommDestroy");
  library.find(nccl.all_reduce, "ncclAllReduce");
  library.find(nccl.broadcast, "ncclBroadcast");
  library.find(nccl.error_text, "ncclGetErrorString");
  loaded.problem = library.problem();
  return loaded;
}

const LoadedNccl& load_nccl() {
  static const LoadedNccl loaded = [] {
    const char* named = std::getenv("TRANSFORMER_NCCL");
    return load_nccl(named ? named : "libnccl.so.2");
  }();
  return loaded;
}

std::optional<int> Nccl::type_of(torch::ScalarType type) {
  switch (type) {
    case torch::kByte:
      return 1;
    case torch::kInt:
      return 2;
    case torch::kLong:
      return 4;
    case torch::kHalf:
      return 6;
    case torch::kFloat:
      return 7;
    case torch::kDouble:
      return 8;
    case torch::kBFloat16:
      return 9;
    default:
      return std::nullopt;
  }
}

}  // namespace transformer::distributed
