// How much memory this process has held at most.
#pragma once

#include <sys/resource.h>

namespace transformer {

/// Bytes, from the program's start on.
inline double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace transformer
