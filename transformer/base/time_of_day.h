// The clock on the wall, for records that people read: it may be set back.
#pragma once

#include <chrono>

namespace transformer {

/// Seconds since 1970.
inline double time_of_day() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace transformer
