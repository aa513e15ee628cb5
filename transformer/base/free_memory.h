// The memory of the machine that programs can have.
#pragma once

#include <string>

namespace transformer {

/// Bytes that are free, or would be without caches of files, by Linux's MemAvailable; 0 where that is
/// unknown.
double free_memory_of_machine(const std::string& meminfo = "/proc/meminfo");

}  // namespace transformer
