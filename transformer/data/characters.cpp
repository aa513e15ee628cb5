#include "transformer/data/characters.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>

namespace transformer::data {

Character take_character(std::string_view& text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 found = 0;
  std::size_t size = 0;
  U8_NEXT(bytes, size, text.size(), found);
  text.remove_prefix(size);
  return found;
}

std::string_view take_bytes_of_character(std::string_view& text) {
  const auto before = text;
  take_character(text);
  return before.substr(0, before.size() - text.size());
}

void append_character(std::string& text, Character c) {
  std::array<std::uint8_t, U8_MAX_LENGTH> bytes{};
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes.data(), size, c);
  text.append(reinterpret_cast<const char*>(bytes.data()), size);
}

std::uint32_t category_of(Character c) {
  struct Changed {
    UChar32 character;
    std::uint32_t then;
  };
  static constexpr std::array kChanged{Changed{0x166D, U_GC_PO_MASK}, Changed{0x1734, U_GC_MN_MASK},
                                       Changed{0x1885, U_GC_LO_MASK}, Changed{0x1886, U_GC_LO_MASK},
                                       Changed{0xA9BD, U_GC_MC_MASK}, Changed{0x111C9, U_GC_PO_MASK}};
  if (c < 0x80) return U_GET_GC_MASK(c);
  if (const auto* found = std::ranges::find(kChanged, c, &Changed::character); found != kChanged.end())
    return found->then;
  UVersionInfo age;
  u_charAge(c, age);
  const bool is_old = age[0] > 0 && age[0] <= 8;
  return is_old ? U_GET_GC_MASK(c) : U_GC_CN_MASK;
}

void append_small(std::string& text, Character c) {
  constexpr UChar32 kDottedCapital = 0x130;  // the only one that becomes two
  if (c == kDottedCapital)
    text += "i\u0307";
  else
    append_character(text, u_tolower(c));
}

}  // namespace transformer::data
