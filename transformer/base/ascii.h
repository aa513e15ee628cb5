// Kinds of characters of ASCII, whatever the locale is.
#pragma once

namespace transformer {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_small_letter(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_capital_letter(char c) {
  return c >= 'A' && c <= 'Z';
}

}  // namespace transformer
