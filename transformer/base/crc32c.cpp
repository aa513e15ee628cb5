#include "transformer/base/crc32c.h"

#include <array>

namespace transformer {
namespace {

/// What a byte does to the remainder.
constexpr std::array<std::uint32_t, 256> make_table() {
  constexpr std::uint32_t kReflected = 0x82F63B78U;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    auto rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? kReflected : 0U);
    table[byte] = rest;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = make_table();
  std::uint32_t rest = 0xFFFFFFFFU;
  for (const char c : bytes) rest = (rest >> 8U) ^ kTable[(rest ^ static_cast<unsigned char>(c)) & 0xFFU];
  return ~rest;
}

}  // namespace transformer
