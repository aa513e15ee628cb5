// docs/guides/coming-from.md against the code: each flag of another toolkit leads to the key that its row
// names.
#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "transformer/config/keys.h"
#include "transformer/config/other_toolkits.h"

using namespace transformer;

namespace {

std::vector<std::string> in_code(const std::string& text) {
  static const std::regex code("`([^`]+)`");
  std::vector<std::string> all;
  for (std::sregex_iterator i(text.begin(), text.end(), code), end; i != end; ++i) all.push_back((*i)[1]);
  return all;
}

}  // namespace

TEST_CASE("each flag of another toolkit leads to the key beside it") {
  static const std::regex pattern(R"(\| [^|`]+ \| ([^|]*`[^|]+) \|(.*)\|)");
  std::ifstream page(std::string(TRANSFORMER_SOURCE_DIR) + "/docs/guides/coming-from.md");
  std::size_t seen = 0;
  std::smatch match;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, match, pattern)) continue;
    const auto keys = in_code(match[1]);
    for (const auto& key : keys) {
      INFO(key);
      CHECK((key.starts_with("--") || config::find_key(key) != nullptr));
    }
    for (const auto& flag : in_code(match[2])) {
      INFO(line << "\n" << flag);
      auto word = flag;
      std::replace(word.begin(), word.end(), '-', '_');
      const std::string here(config::name_here(flag));
      CHECK(std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
        return here.find(key) != std::string::npos || key == word || key.ends_with("." + word);
      }));
      ++seen;
    }
  }
  CHECK(seen > 100);
}
