#include "transformer/base/lock_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::content_of;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("a lock names who took it, and goes with it") {
  const TemporaryFolder folder;
  const auto path = folder.path() / ".lock";
  for (int i = 0; i < 2; ++i) {
    LockFile lock(path);
    CHECK(lock.try_lock() == 0);
    CHECK(lock.holder() == ::getpid());
    LockFile second(path);
    CHECK(second.try_lock() == EWOULDBLOCK);
    CHECK(second.holder() == ::getpid());
  }
  CHECK(content_of(path) == std::to_string(::getpid()) + "\n");
}

TEST_CASE("a file of somebody else is no lock, and stays as it is") {
  const TemporaryFolder folder;
  const auto path = folder.path() / ".lock";
  const auto precious = folder.write("precious", "1234 letters\n");
  const auto refused = [&](const std::string& found) {
    CHECK_THROWS_AS(LockFile(path), InputError);
    CHECK_THROWS_WITH(LockFile(path), ContainsSubstring(path.string()) && ContainsSubstring(found));
    CHECK(content_of(precious) == "1234 letters\n");
  };
  SECTION("a link") {
    fs::create_symlink("precious", path);
    refused("a symbolic link");
  }
  SECTION("a link to nowhere") {
    fs::create_symlink("nowhere", path);
    refused("a symbolic link");
    CHECK_FALSE(fs::exists(folder.path() / "nowhere"));
  }
  SECTION("a second name") {
    fs::create_hard_link(precious, path);
    refused("other content");
  }
  SECTION("a pipe") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    refused("no file");
  }
  SECTION("a folder") {
    fs::create_directory(path);
    CHECK_THROWS_AS(LockFile(path), InputError);
  }
}
