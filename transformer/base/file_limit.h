// How many files a process may have open.
#pragma once

#include <cstdint>
#include <string>

namespace transformer {

/// Lets this process have at least `needed` files open at a time, connections among them, where the system
/// allows it. Throws RunError where it does not: "PURPOSE: …".
void expect_open_files(std::uint64_t needed, const std::string& purpose);

}  // namespace transformer
