// Why a run of several processes ends.
#pragma once

#include <string>

#include "transformer/base/error.h"

namespace transformer::distributed {

struct Fault {
  std::string cause;  ///< what happened, with the rank that it happened to
  int status = 1;     ///< to exit with
};

/// The whole run ends, for what one of its processes met.
class RunEnded : public RunError {
 public:
  explicit RunEnded(const Fault& fault) : RunError(fault.cause), fault(fault) {}
  const Fault fault;
};

/// As it stands in the store.
std::string to_text(const Fault& fault);
Fault fault_from_text(const std::string& text);

/// What befell a process whose exchange took longer than distributed.timeout.
inline constexpr const char* kWaitedTooLong =
    "waited for the numbers of another process for longer than distributed.timeout";

/// Names in the store that several parts use.
inline constexpr const char* kFaultName = "fault";
inline constexpr const char* kSpokenName = "spoken";

}  // namespace transformer::distributed
