#include "transformer/distributed/nccl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace transformer::distributed {
LoadedNccl load_nccl(const std::string& name) {
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {.problem = dlerror()};
  LoadedNccl loaded;
  auto& nccl = loaded.functions;
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr && loaded.problem.empty())
      loaded.problem = fmt::format("{}: expected the functions of NCCL, found no {}", name, symbol);
  };
  find(nccl.get_unique_id, "ncclGetUniqueId");
  find(nccl.begin, "ncclCommInitRank");
  find(nccl.end, "ncclCommDestroy");
  find(nccl.all_reduce, "ncclAllReduce");
  find(nccl.broadcast, "ncclBroadcast");
  find(nccl.error_text, "ncclGetErrorString");
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
