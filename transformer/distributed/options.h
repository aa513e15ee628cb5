// How one training is spread over several processes, apart from where they run (placement.h).
#pragma once

#include <cstdint>

#include "transformer/base/choices.h"

namespace transformer::distributed {

/// The type in which processes exchange and sum gradients.
enum class Wire { fp32, bf16 };

constexpr const char* name_of(Wire wire) {
  switch (wire) {
    case Wire::fp32:
      return "fp32";
    case Wire::bf16:
      return "bf16";
  }
  no_such_choice();
}

struct DistributedOptions {
  std::int64_t timeout = 120;  ///< seconds that a process waits for the others in one exchange of tensors
  Wire gradients = Wire::fp32;
  bool shard_moments = false;  ///< ZeRO stage 1: each process holds the moments of some parameters only

  bool operator==(const DistributedOptions&) const = default;
};

}  // namespace transformer::distributed
