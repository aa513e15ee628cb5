#include "transformer/base/atomic_file.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::content_of;
using transformer::test::entries;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("a file appears when it is committed, and not before") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  AtomicFile file(path);
  file.write("content");
  CHECK_FALSE(fs::exists(path));
  file.commit();
  CHECK(content_of(path) == "content");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a file that is not committed leaves the earlier one") {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  { AtomicFile(path).write("new"); }
  CHECK(content_of(path) == "old");
  CHECK(entries(folder.path()) == 1);
  write_file_atomically(path, "new");
  CHECK(content_of(path) == "new");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("failures to write name the file") {
  const TemporaryFolder folder;
  REQUIRE_THROWS_AS(AtomicFile(folder.path() / "absent" / "file"), InputError);
  REQUIRE_THROWS_WITH(AtomicFile(folder.path() / "absent" / "file"),
                      ContainsSubstring("absent/file: creating"));
}

TEST_CASE("a folder appears when it is committed, and not before") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "deep" / "model";
  {
    AtomicDirectory directory(path);
    fs::create_directory(directory.temporary() / "sub");
    write_file_atomically(directory.temporary() / "sub" / "file", "content");
    CHECK_FALSE(fs::exists(path));
    directory.commit();
  }
  CHECK(content_of(path / "sub" / "file") == "content");
  CHECK(entries(folder.path() / "deep") == 1);
}

TEST_CASE("an existing folder is replaced only when asked") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model/";  // people type the slash
  fs::create_directory(path);
  folder.write("model/old", "old");
  write_checksums(path);
  {
    AtomicDirectory directory(path);
    write_file_atomically(directory.temporary() / "new", "new");
    REQUIRE_THROWS_AS(directory.commit(), InputError);
    CHECK(fs::exists(path / "old"));
    directory.commit(AtomicDirectory::Existing::replace);
  }
  CHECK_FALSE(fs::exists(path / "old"));
  CHECK(content_of(path / "new") == "new");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a folder is replaced only if it is wholly ours at that moment") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model";
  fs::create_directory(path);
  folder.write("model/old", "old");
  write_checksums(path);
  AtomicDirectory directory(path);
  write_file_atomically(directory.temporary() / "new", "new");
  folder.write("model/notes.txt", "came in the meantime");
  CHECK_THROWS_WITH(directory.commit(Existing::replace), ContainsSubstring("model/notes.txt: expected only"));
  CHECK(content_of(path / "notes.txt") == "came in the meantime");
  CHECK(content_of(path / "old") == "old");
}

TEST_CASE("a file that came in the meantime is replaced only when asked") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  {
    AtomicFile file(path);
    file.write("new");
    folder.write("file", "came in the meantime");
    CHECK_THROWS_WITH(file.commit(Existing::refuse), ContainsSubstring("file: already exists"));
  }
  CHECK(content_of(path) == "came in the meantime");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("behind a link to a folder the folder is replaced, and the link stays") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "far" / "model");
  folder.write("far/model/old", "old");
  write_checksums(folder.path() / "far" / "model");
  fs::create_symlink("far/model", folder.path() / "link");
  AtomicDirectory directory(folder.path() / "link");
  write_file_atomically(directory.temporary() / "new", "new");
  directory.commit(Existing::replace);
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(content_of(folder.path() / "far" / "model" / "new") == "new");
  CHECK_FALSE(fs::exists(folder.path() / "far" / "model" / "old"));
}

TEST_CASE("a folder takes its place under whatever ending its name was given") {
  const TemporaryFolder folder;
  for (const auto* name : {"one/.", "two/", "three/./.", "four"}) {
    AtomicDirectory directory(folder.path() / name);
    write_file_atomically(directory.temporary() / "file", "new");
    write_checksums(directory.temporary());
    directory.commit();
    AtomicDirectory again(folder.path() / name);
    CHECK_THROWS_WITH(again.commit(), ContainsSubstring("already exists"));
    AtomicDirectory other(folder.path() / name);
    other.commit(Existing::replace);
    CHECK(entries(folder.path() / name) == 0);
  }
  CHECK(entries(folder.path()) == 4);
}

TEST_CASE("a folder that does not appear leaves no parents behind") {
  const TemporaryFolder folder;
  { const AtomicDirectory directory(folder.path() / "new" / "deep" / "model"); }
  CHECK(entries(folder.path()) == 0);
  fs::create_directory(folder.path() / "old");
  { const AtomicDirectory directory(folder.path() / "old" / "deep" / "model"); }
  CHECK(fs::exists(folder.path() / "old"));
  CHECK(entries(folder.path() / "old") == 0);
}

TEST_CASE("what exists already is refused by name") {
  const TemporaryFolder folder;
  CHECK_NOTHROW(refuse_existing(folder.path() / "absent"));
  fs::create_symlink("nowhere", folder.path() / "link");
  CHECK_THROWS_WITH(refuse_existing(folder.path() / "link"), ContainsSubstring("link: already exists"));
}
