// SentencePiece's mark for a blank, U+2581.
#pragma once

#include <string>
#include <string_view>

namespace transformer {

inline constexpr std::string_view kBlankMark = "\u2581";

inline std::string without_blank_marks(std::string_view piece) {
  std::string text(piece);
  for (auto at = text.find(kBlankMark); at != std::string::npos; at = text.find(kBlankMark, at))
    text.erase(at, kBlankMark.size());
  return text;
}

}  // namespace transformer
