// docs/reference/switches.md against the code: every switch is on the page, stands where the page says, and
// is computed by whom it says.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "tests/catch.h"
#include "tests/options/model_variants.h"
#include "transformer/config/keys.h"
#include "transformer/engine/support.h"

using namespace transformer;
namespace fs = std::filesystem;

namespace {

const fs::path source = TRANSFORMER_SOURCE_DIR;

struct Row {
  std::string file, word, who;
};

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// "model.norm sandwich, " or "model.norm: sandwich" → "model.norm: sandwich", and of a number its key alone.
std::string switch_of(const std::string& text) {
  static const std::regex pattern(R"((model\.[\w.]+):? ([^,]*).*)");
  std::smatch match;
  REQUIRE(std::regex_match(text, match, pattern));
  const auto* key = config::find_key(match.str(1));
  REQUIRE(key != nullptr);
  config::Experiment experiment;
  CHECK(key->set(experiment, {.text = match.str(2)}));
  return key->choices.empty() ? key->name : key->name + ": " + match.str(2);
}

/// The page's rows, by their switch.
std::map<std::string, Row> rows() {
  static const std::regex pattern(R"(\| `(model\.[^`]+)` \| [^|]+ \| `([^`]+)` `([^`]+)` \| (\w+) \|)");
  std::map<std::string, Row> all;
  std::ifstream page(source / "docs/reference/switches.md");
  std::smatch match;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    INFO(line);
    REQUIRE(std::regex_match(line, match, pattern));
    all[switch_of(match[1])] = {match[2], match[3], match[4]};
  }
  return all;
}

}  // namespace

TEST_CASE("the page of switches has each of them, and nothing else") {
  auto left = rows();
  REQUIRE(left.size() > 30);
  for (auto [name, options] : test::single_variants()) {
    if (!name.starts_with("model.") || name.starts_with("model.variants.") || name == "model.kind") continue;
    // Without such positions their distance, or base, says nothing.
    if (name.starts_with("model.relative_distance")) options.positions = nn::Positions::relative;
    if (name.starts_with("model.rotary_base")) options.positions = nn::Positions::rotary;
    const auto found = left.find(switch_of(name));
    INFO(name);
    REQUIRE(found != left.end());
    CHECK(found->second.who == (engine::unsupported(options) ? "modules" : "engine"));
    left.erase(found);
  }
  for (const auto& row : left) FAIL_CHECK("no such switch: " << row.first);
}

TEST_CASE("each switch is where the page says") {
  for (const auto& [name, row] : rows()) {
    INFO(name);
    CHECK_THAT(text_of(source / "transformer" / row.file), ContainsSubstring(row.word));
  }
}
