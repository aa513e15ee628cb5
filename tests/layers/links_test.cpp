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

/// Targets of a page's links, except those into the web and into the page itself.
std::vector<std::string> links(const std::string& text) {
  static const std::regex link(R"re(\]\(([^)#\s]+)(#[^)]*)?\))re");
  std::vector<std::string> all;
  for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i)
    if ((*i)[1].str().find("://") == std::string::npos) all.push_back((*i)[1]);
  return all;
}

/// Those of a page's prose: without code, tables and titles. Code within a line is a word.
std::vector<std::string> sentences(const std::string& page) {
  static const std::regex item(R"(^\s*([*-]|\d+\.)\s+)"), end_of_sentence(R"([.?!:]\s+(?=[A-Z`*\[]))");
  std::vector<std::string> all;
  std::string block;
  bool code = false;
  const auto flush = [&] {
    for (std::smatch match; std::regex_search(block, match, end_of_sentence); block = match.suffix())
      all.push_back(match.prefix().str() + match.str().front());
    if (!block.empty()) all.push_back(block);
    block.clear();
  };
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    const bool skipped = code || line.empty() || std::string_view("|#`!<").find(line[0]) != std::string::npos;
    if (skipped && !(line.starts_with("`") && !line.starts_with("```")))
      flush();
    else if (line.starts_with("    "))
      flush();
    else {
      if (std::regex_search(line, item)) flush();
      const auto text = std::regex_replace(line, item, "");
      block += (block.empty() ? "" : " ") + text.substr(std::min(text.find_first_not_of(' '), text.size()));
    }
  }
  flush();
  return all;
}

std::size_t words(const std::string& sentence) {
  static const std::regex code("`[^`]*`"), target(R"(\]\([^)]*\))");
  std::istringstream text(std::regex_replace(std::regex_replace(sentence, target, "]"), code, "x"));
  std::size_t count = 0;
  for (std::string word; text >> word;) ++count;
  return count;
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
  for (const auto* folder : {"", "start", "guides", "reference", "evidence"}) {
    for (const auto& entry : fs::directory_iterator(root / "docs" / folder)) {
      const auto name = fs::relative(entry.path(), root / "docs").string();
      if (name == "README.md" || entry.path().filename() == "pictures") continue;
      INFO(name);
      CHECK(std::any_of(listed.begin(), listed.end(),
                        [&](const auto& link) { return link.starts_with(name); }));
    }
  }
}

TEST_CASE("the navigation of the site has each page") {
  // tools/docs/hooks.py makes it of the index's sections, and of the tutorial's list.
  const auto index = contents(root / "docs/README.md");
  std::size_t last = 0;
  for (const auto* section : {"Start", "Guides", "Reference", "Evidence", "Tutorial"}) {
    INFO(section);
    const auto found = index.find("\n## " + std::string(section));
    REQUIRE(found != std::string::npos);
    CHECK(found >= last);
    last = found;
  }
  const auto listed = links(contents(root / "docs/tutorial/README.md"));
  for (const auto& entry : fs::directory_iterator(root / "docs/tutorial")) {
    const auto name = entry.path().filename().string();
    if (entry.path().extension() != ".md" || name == "README.md") continue;
    INFO(name);
    CHECK(std::find(listed.begin(), listed.end(), name) != listed.end());
  }
}

TEST_CASE("the README fits a few screens") {
  const auto text = contents(root / "README.md");
  CHECK(text.size() <= 8192);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 150);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }) <= 120);
  }
}

TEST_CASE("pages are short, and so are their sentences") {
  CHECK(sentences(
            "# A title\n\nOne `code here`. Two,\nstill two: Three\n\n| a | table |\n\n* four\n* five\n") ==
        std::vector<std::string>{"One `code here`.", "Two, still two:", "Three", "four", "five"});
  std::size_t seen = 0;
  for (const auto& page : pages()) {
    const auto name = fs::relative(page, root).string();
    // Made by a program, or kept as it was written.
    if (name == "CHANGELOG.md" || name == "CONTRIBUTING.md" || name.find("/report") != std::string::npos ||
        name.starts_with("docs/reference/"))
      continue;
    const auto text = contents(page);
    INFO(name);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 250);
    for (const auto& sentence : sentences(text)) {
      INFO(sentence);
      CHECK(words(sentence) <= 40);
      ++seen;
    }
  }
  CHECK(seen > 1000);
}
