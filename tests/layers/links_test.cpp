// Links of the pages lead somewhere.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace fs = std::filesystem;

namespace {

const fs::path root = TRANSFORMER_SOURCE_DIR;

std::vector<fs::path> pages() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  for (const auto* folder : {"docs", "data", "configs", "tests", "apps", "transformer"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md") all.push_back(entry.path());
  return all;
}

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Where the links of a page lead, without those into the web and into the page itself.
std::vector<std::string> links(const std::string& text) {
  static const std::regex link(R"re(\]\(([^)#\s]+)(#[^)]*)?\))re");
  std::vector<std::string> all;
  for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i)
    if ((*i)[1].str().find("://") == std::string::npos) all.push_back((*i)[1]);
  return all;
}

}  // namespace

TEST_CASE("every link of every page leads to a file") {
  CHECK(links("[a](b.md), [c](d/e.cpp#f), [g](https://h), [i](#j)") ==
        std::vector<std::string>{"b.md", "d/e.cpp"});
  std::size_t seen = 0;
  for (const auto& page : pages()) {
    for (const auto& link : links(contents(page))) {
      INFO(page.string() << ": " << link);
      CHECK(fs::exists(page.parent_path() / link));
      ++seen;
    }
  }
  CHECK(seen > 40);
}

TEST_CASE("the index of docs names each of its pages") {
  const auto listed = links(contents(root / "docs/README.md"));
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    const auto name = entry.path().filename().string();
    if (name == "README.md") continue;
    INFO(name);
    CHECK(
        std::any_of(listed.begin(), listed.end(), [&](const auto& link) { return link.starts_with(name); }));
  }
}
