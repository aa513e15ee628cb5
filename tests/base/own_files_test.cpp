#include "transformer/base/own_files.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// A folder as the programs write them.
fs::path written(const TemporaryFolder& folder) {
  const auto path = folder.path() / "model";
  fs::create_directories(path / "sub");
  folder.write("model/weights", "numbers");
  folder.write("model/sub/file", "text");
  write_checksums(path);
  return path;
}

void check_refused(const fs::path& folder, const std::string& name, const std::string& why) {
  CHECK_THROWS_AS(check_wholly_ours(folder), InputError);
  CHECK_THROWS_WITH(check_wholly_ours(folder),
                    ContainsSubstring((folder / name).string() + ": expected only") &&
                        ContainsSubstring(why) && ContainsSubstring("is not replaced"));
}

}  // namespace

TEST_CASE("a folder is ours when all in it is listed and unchanged") {
  const TemporaryFolder folder;
  const auto path = written(folder);
  CHECK_NOTHROW(check_wholly_ours(path));
  CHECK_FALSE(foreign_entry(path));
  fs::remove(path / "sub" / "file");  // what is missing cannot be lost
  CHECK_FALSE(foreign_entry(path / "sub").has_value());
  fs::remove(path / "sub");
  CHECK_NOTHROW(check_wholly_ours(path));
  fs::create_directory(folder.path() / "empty");
  CHECK_NOTHROW(check_wholly_ours(folder.path() / "empty"));
}

TEST_CASE("what somebody else put into a folder is named") {
  const TemporaryFolder folder;
  const auto path = written(folder);
  const auto refused = [&](const std::string& name) {
    CAPTURE(name);
    check_refused(path, name, "not listed in checksums.sha256");
    CHECK(foreign_entry(path) == path / name);
  };
  SECTION("a file") {
    folder.write("model/notes.txt", "mine");
    refused("notes.txt");
  }
  SECTION("a file in a folder of ours") {
    folder.write("model/sub/notes.txt", "mine");
    refused("sub/notes.txt");
  }
  SECTION("a hidden folder") {
    fs::create_directory(path / ".git");
    folder.write("model/.git/config", "mine");
    refused(".git");
  }
  SECTION("an empty folder") {
    fs::create_directory(path / "later");
    refused("later");
  }
  SECTION("a link, be it in the place of a file of ours") {
    fs::rename(path / "weights", folder.path() / "elsewhere");
    fs::create_symlink(folder.path() / "elsewhere", path / "weights");
    refused("weights");
  }
  SECTION("a list that is no list") {
    folder.write("model/checksums.sha256", "mine");
    CHECK_THROWS_WITH(check_wholly_ours(path), ContainsSubstring("checksums.sha256:1: expected"));
    CHECK(foreign_entry(path) == path / "checksums.sha256");
  }
}

TEST_CASE("what somebody changed is named") {
  const TemporaryFolder folder;
  const auto path = written(folder);
  folder.write("model/weights", "others!");
  check_refused(path, "weights", "changed since checksums.sha256 was written");
  CHECK_FALSE(foreign_entry(path));  // which looks at names alone
}

TEST_CASE("without a list nothing is ours") {
  const TemporaryFolder folder;
  folder.write("file", "mine");
  check_refused(folder.path(), "file", "no checksums.sha256 lists it");
  CHECK_THROWS_WITH(check_wholly_ours(folder.path() / "file"), ContainsSubstring("found something else"));
}
