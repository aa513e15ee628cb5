// docs/switches.md against the code: every switch is on the page, stands where the page says, and is computed
// by whom it says. And the README's table of keys.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/catch.h"
#include "tests/options/model_variants.h"
#include "transformer/config/keys.h"
#include "transformer/config/scalar.h"
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
  std::ifstream page(source / "docs/switches.md");
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
    // Without relative positions their distance says nothing.
    if (name.starts_with("model.relative_distance")) options.positions = nn::Positions::relative;
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

TEST_CASE("the README's table of keys has each that is no switch, its default and its other values") {
  // "`norm` post (pre, sandwich), " by "model.norm": what follows the name, up to the next.
  std::map<std::string, std::string> said;
  static const std::regex row(R"(\| (?:`(\w+)`)? ?\| (`.*) \|)"), key_and_rest(R"(`([\w.]+)`([^`]*))");
  std::ifstream page(source / "README.md");
  std::smatch match;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| section | keys")) inside = true;
    if (line.empty()) inside = false;
    if (!inside || !std::regex_match(line, match, row)) continue;
    const std::string section = match[1], cell = match[2];
    for (std::sregex_iterator i(cell.begin(), cell.end(), key_and_rest), end; i != end; ++i)
      said[section.empty() ? i->str(1) : section + "." + i->str(1)] = i->str(2);
  }
  // Whose default another key's says.
  const std::set<std::string> of_others{"model.encoder_layers", "model.decoder_layers", "train.epochs"};
  const std::regex value_and_others(R"( ?(\[[^\]]*\]|[^ ,;()]*)(?: \(([^()]*)\))?.*)");
  const auto switches = rows();
  const auto is_switch = [&](const std::string& key) {
    const auto found = switches.lower_bound(key);
    return found != switches.end() && (found->first == key || found->first.starts_with(key + ": "));
  };
  for (const auto& key : config::keys()) {
    INFO(key.name);
    const auto found = said.find(key.name);
    if (found == said.end() && is_switch(key.name)) continue;  // the page above has it
    REQUIRE(found != said.end());
    const auto rest = found->second;
    said.erase(found);
    if (key.kind != config::Key::Kind::plain || of_others.contains(key.name)) continue;
    REQUIRE(std::regex_match(rest, match, value_and_others));
    std::string value = match[1];
    const std::string others = match[2];
    if (key.is_list) std::erase_if(value, [](char c) { return c == '[' || c == ']' || c == ' '; });
    const auto usual = key.get({});
    if (value.empty()) {
      CHECK(usual == "none");
    } else if (const auto number = config::parse_real(usual)) {
      CHECK(config::parse_real(value) == number);
    } else {
      CHECK((value == usual || fmt::format("\"{}\"", value) == usual));
    }
    if (key.choices.empty() || usual == "true" || usual == "false") continue;
    auto names = key.choices;
    std::erase(names, usual);
    CHECK(others == fmt::format("{}", fmt::join(names, ", ")));
  }
  CHECK(said.empty());
}
