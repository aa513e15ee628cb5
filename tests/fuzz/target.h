// What a fuzz target gives: the function that libFuzzer (or driver.cpp) calls with bytes of all kinds, and
// what to make those bytes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformer::fuzz {

/// Inputs to begin with; most are valid.
std::vector<std::string> seeds();

/// Words of the input's language, to be put anywhere.
std::vector<std::string> words();

/// The input as text.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace transformer::fuzz

/// Returns whatever the reader makes of the bytes; a defect ends the program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
