// Whether a text is well-formed XML, as far as the report's pages and pictures use it.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "transformer/base/text_file.h"

namespace transformer::test {

/// What is wrong with it, or nothing.
inline std::string fault_of(const std::string& text) {
  if (!is_valid_utf8(text)) return "not UTF-8";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return "a control character";
  }
  const std::regex tag(R"re(<(/?)([a-zA-Z][a-zA-Z0-9]*)((?: [a-zA-Z][a-zA-Z0-9:-]*="[^"<]*")*)(/?)>)re");
  const std::regex reference("&(amp|lt|gt|quot|#39);");
  std::vector<std::string> open;
  std::size_t roots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(i);
    const std::string near = " near \"" + text.substr(i, 40) + "\"";
    std::smatch match;
    constexpr auto here = std::regex_constants::match_continuous;
    if (text[i] == '&' && !std::regex_search(begin, text.end(), match, reference, here)) return "&" + near;
    if (text[i] == '>') return ">" + near;
    if (text[i] != '<') continue;
    if (text.compare(i, 15, "<!DOCTYPE html>") == 0 && i == 0) {
      i += 14;
      continue;
    }
    if (!std::regex_search(begin, text.end(), match, tag, here)) return "no tag" + near;
    if (open.empty() && match[1].length() == 0 && ++roots > 1) return "a second root" + near;
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2]) return "closes what is not open" + near;
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2]);
    }
    i += static_cast<std::size_t>(match.length()) - 1;
  }
  if (roots == 0) return "no root";
  return open.empty() ? "" : open.back() + " stays open";
}

}  // namespace transformer::test
