// Rules that put spaces around characters, each in one pass from left to right, as a substitution by a
// regular expression does. Strings are of any kind of character: bytes where a rule names ASCII alone, code
// points elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "transformer/base/choices.h"

namespace transformer::eval {

enum class Surround { first, second };

/// Rewrites, from left to right and without overlap, each pair of neighbours (a, b) that `matches`: the
/// chosen one of the two gets a space on either side. Without overlap means that the b of a rewritten pair is
/// not the a of the next; scores depend on it ("a..b" keeps its second dot for the next rule).
template <typename String, typename Matches>
String space_pairs(const String& text, Surround surround, Matches matches) {
  String out;
  out.reserve(text.size() * 2);
  std::size_t i = 0;
  while (i < text.size()) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      if (surround == Surround::first) out += ' ';
      out += text[i];
      out += ' ';
      out += text[i + 1];
      if (surround == Surround::second) out += ' ';
      i += 2;
    } else {
      out += text[i];
      i += 1;
    }
  }
  return out;
}

/// Rewrites each character that `matches` so that it has a space on either side.
template <typename String, typename Matches>
String space_singles(const String& text, Matches matches) {
  String out;
  out.reserve(text.size() * 2);
  for (const auto c : text) {
    if (matches(c)) {
      out += ' ';
      out += c;
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

/// Rewrites, from left to right and without overlap, each `mark` between two characters (a, b) that match:
/// `written` takes its place. The b of one that is rewritten is not the a of the next.
template <typename Char, typename Matches>
std::basic_string<Char> replace_between(const std::basic_string<Char>& text, Char mark,
                                        std::type_identity_t<std::basic_string_view<Char>> written,
                                        Matches matches) {
  std::basic_string<Char> out;
  out.reserve(text.size() * 2);
  std::size_t i = 0;
  while (i < text.size()) {
    out += text[i];
    if (i + 2 < text.size() && text[i + 1] == mark && matches(text[i], text[i + 2])) {
      out += written;
      out += text[i + 2];
      i += 3;
    } else {
      i += 1;
    }
  }
  return out;
}

}  // namespace transformer::eval
