// Pages that the build makes of files (transformer_embed_page in transformer/CMakeLists.txt), around their
// data.
#pragma once

#include <string>
#include <string_view>

namespace transformer {

struct EmbeddedPage {
  std::string_view before, after;  ///< what the data stand between
};

/// page: with {{data}} in it.
constexpr EmbeddedPage around_data(std::string_view page) {
  constexpr std::string_view kData = "{{data}}";
  const auto place = page.find(kData);
  return {page.substr(0, place), page.substr(place + kData.size())};
}

/// JSON as it may stand in a script of a page, which a "<" could end before its time.
inline std::string in_script(std::string json) {
  for (auto at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

}  // namespace transformer
