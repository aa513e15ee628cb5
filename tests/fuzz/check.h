// What every target demands of its reader.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "transformer/base/error.h"

namespace transformer::fuzz {

/// Ends the program unless `good`, so that the fuzzer keeps the input.
inline void require(bool good, std::string_view what) {
  if (good) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// What `read` returns, or nothing where it refuses the input. The only way to refuse is an InputError whose
/// message is one line; any other exception is left to end the program.
template <typename Read>
auto accepted(Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    require(!message.empty() && message.find('\n') == std::string_view::npos, "a message is one line");
    return std::nullopt;
  }
}

}  // namespace transformer::fuzz
