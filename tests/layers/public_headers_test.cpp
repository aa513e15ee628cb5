// What others may rely on: transformer/transformer.h lists it.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/catch.h"

namespace fs = std::filesystem;

namespace {

const fs::path project = TRANSFORMER_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// What a file includes of the library.
std::set<std::string> included_by(const fs::path& file) {
  static const std::regex include(R"re(#include\s+["<](transformer/[^">]+)[">])re");
  const auto text = text_of(file);
  std::set<std::string> all;
  for (std::sregex_iterator i(text.begin(), text.end(), include), end; i != end; ++i) all.insert((*i)[1]);
  return all;
}

}  // namespace

TEST_CASE("the public headers exist, and begin with what they are for") {
  const auto listed = included_by(project / "transformer/transformer.h");
  CHECK(listed.size() > 50);
  for (const auto& header : listed) {
    INFO(header);
    CHECK(text_of(project / header).starts_with("// "));  // their pages of the API begin with it
  }
}

TEST_CASE("what examples and documents include is public") {
  auto listed = included_by(project / "transformer/transformer.h");
  listed.insert("transformer/transformer.h");
  std::size_t seen = 0;
  for (const auto* folder :
       {"docs/guides", "docs/deploy", "examples/kind", "examples/variants", "tests/consumer/project"})
    for (const auto& entry : fs::recursive_directory_iterator(project / folder))
      for (const auto& header : included_by(entry.path())) {
        INFO(entry.path().string() << ": " << header);
        CHECK(listed.contains(header));
        ++seen;
      }
  CHECK(seen > 10);
}
