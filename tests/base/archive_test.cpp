#include "transformer/base/archive.h"

#include <cstdlib>

#include "tests/catch.h"
#include "tests/compress.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

using namespace transformer;
namespace fs = std::filesystem;

namespace {

/// A folder "in" with files, and a place for its archive and for what is unpacked.
struct Archives {
  test::TemporaryFolder folder;
  fs::path in = folder.path() / "in", out = folder.path() / "out", file = folder.path() / "in.tar.zst";

  Archives() {
    fs::create_directories(in / "größe/empty");
    fs::create_directory(out);
    folder.write("in/größe/run.json", "{}\n");
    folder.write("in/long", std::string(300'000, 'x') + std::string(1, '\0'));
    folder.write("in/" + std::string(120, 'n'), "a name too long for a plain header\n");
  }

  /// Lets tar write the archive.
  void archive_of(const std::string& arguments) const {
    shell("tar -cf in.tar " + arguments);
    folder.write("in.tar.zst", test::zstandard(read_file(folder.path() / "in.tar")));
  }

  void shell(const std::string& command) const {
    REQUIRE(std::system(("cd '" + folder.path().string() + "' && " + command).c_str()) == 0);
  }
};

}  // namespace

TEST_CASE("an archive unpacks to the same files and folders") {
  Archives archives;
  pack_folder(archives.in, archives.file);
  unpack_archive(archives.file, archives.out);
  archives.shell("diff -r in out");
}

TEST_CASE("an archive replaces an earlier one, and does not depend on times and permissions") {
  Archives archives;
  archives.folder.write("in.tar.zst", "old");
  pack_folder(archives.in, archives.file);
  const auto bytes = read_file(archives.file);
  archives.shell("touch -d 2001-01-01 in/long && chmod 600 in/long");
  pack_folder(archives.in, archives.file);
  CHECK(read_file(archives.file) == bytes);
}

TEST_CASE("tar reads the archive, and its own archives are read") {
  Archives archives;
  pack_folder(archives.in, archives.file);
  const auto packed = read_file(archives.file);
  std::string plain(1 << 20, '\0');
  plain.resize(ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size()));
  archives.folder.write("in.tar", plain);
  archives.shell("tar -C out -xf in.tar && diff -r in out && rm -r out/*");
  archives.archive_of("-C in .");
  unpack_archive(archives.file, archives.out);
  archives.shell("diff -r in out");
}

TEST_CASE("what is no whole archive is refused by name") {
  Archives archives;
  const auto refused = [&](const std::string& words) {
    CHECK_THROWS_WITH(unpack_archive(archives.file, archives.out),
                      ContainsSubstring("in.tar.zst: expected an archive") && ContainsSubstring(words));
  };
  SECTION("absent") {
    refused("in.tar.zst");
  }
  SECTION("a folder") {
    fs::create_directory(archives.file);
    refused("found ");
  }
  SECTION("empty") {
    archives.folder.write("in.tar.zst", "");
    refused("found ");
  }
  SECTION("text") {
    archives.folder.write("in.tar.zst", std::string(2000, 'a'));
    refused("found ");
  }
  SECTION("cut anywhere") {
    pack_folder(archives.in, archives.file);
    const auto bytes = read_file(archives.file);
    for (std::size_t size = 1; size < bytes.size(); size += 7) {
      archives.folder.write("in.tar.zst", bytes.substr(0, size));
      fs::remove_all(archives.out);
      fs::create_directory(archives.out);
      refused("found ");
    }
  }
}

TEST_CASE("entries that lead out of the folder, links and doubles are refused") {
  Archives archives;
  SECTION("above") {
    archives.shell("touch x");
    archives.archive_of("-P -C in ../x");
  }
  SECTION("absolute") {
    archives.archive_of("-P $PWD/in/long");
  }
  SECTION("symbolic link") {
    archives.shell("ln -s /tmp in/link");
    archives.archive_of("in");
  }
  SECTION("hard link") {
    archives.shell("ln in/long in/more");
    archives.archive_of("in");
  }
  SECTION("twice") {
    archives.archive_of("--hard-dereference in/long in/long");
  }
  CHECK_THROWS_AS(unpack_archive(archives.file, archives.out), InputError);
}

TEST_CASE("a folder with a link is not packed") {
  Archives archives;
  fs::create_symlink("/tmp", archives.in / "link");
  CHECK_THROWS_WITH(pack_folder(archives.in, archives.file), ContainsSubstring("in/link: expected a file"));
  CHECK_FALSE(fs::exists(archives.file));
}
