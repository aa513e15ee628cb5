#include "transformer/base/checksums.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::content_of;
using transformer::test::TemporaryFolder;

namespace {

// FIPS 180-4's examples.
const std::string sum_of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const std::string sum_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const std::string sum_of_million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

}  // namespace

TEST_CASE("SHA-256 gives the standard's values") {
  CHECK(sha256("") == sum_of_nothing);
  CHECK(sha256("abc") == sum_of_abc);
  const TemporaryFolder folder;
  CHECK(sha256_file(folder.write("million", std::string(1'000'000, 'a'))) == sum_of_million);
  CHECK(sha256_file(folder.write("empty", "")) == sum_of_nothing);
  // More than the reading buffer, and not a multiple of it.
  const std::string large(2'500'001, 'x');
  CHECK(sha256_file(folder.write("large", large)) == sha256(large));
  REQUIRE_THROWS_AS(sha256_file(folder.path() / "absent"), InputError);
  REQUIRE_THROWS_WITH(sha256_file(folder.path()), ContainsSubstring("expected a file, found a folder"));
}

TEST_CASE("a device is no file to sum up, nor a list of sums") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/zero", folder.path() / "endless");
  CHECK_THROWS_WITH(sha256_file(folder.path() / "endless"), ContainsSubstring("found a device"));
  std::filesystem::create_symlink("/dev/zero", folder.path() / "checksums.sha256");
  CHECK_THROWS_WITH(verify_checksums(folder.path()), ContainsSubstring("found a device"));
}

TEST_CASE("the list is what sha256sum reads") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "sub");
  folder.write("b", "abc");
  folder.write("sub/a", "");
  folder.write("a file", "abc");
  write_checksums(folder.path());
  write_checksums(folder.path());  // does not list itself
  CHECK(content_of(folder.path() / "checksums.sha256") ==
        sum_of_abc + "  a file\n" + sum_of_abc + "  b\n" + sum_of_nothing + "  sub/a\n");
  REQUIRE_NOTHROW(verify_checksums(folder.path()));
}

TEST_CASE("damage is named") {
  const TemporaryFolder folder;
  REQUIRE_THROWS_AS(verify_checksums(folder.path()), InputError);
  folder.write("model", "abc");
  write_checksums(folder.path());
  folder.write("extra", "does not matter");
  REQUIRE_NOTHROW(verify_checksums(folder.path()));
  folder.write("model", "abd");
  REQUIRE_THROWS_WITH(verify_checksums(folder.path()), ContainsSubstring("model: damaged"));
  std::filesystem::remove(folder.path() / "model");
  REQUIRE_THROWS_WITH(verify_checksums(folder.path()), ContainsSubstring("model: missing"));
  folder.write("checksums.sha256", sum_of_abc + "  " + std::string(300, 'x') + "\n");  // too long for a name
  REQUIRE_THROWS_WITH(verify_checksums(folder.path()), ContainsSubstring("x: missing"));
}

TEST_CASE("a list that is none, or that points elsewhere, is refused") {
  const TemporaryFolder folder;
  folder.write("model", "abc");
  const auto refused = [&](const std::string& list) {
    folder.write("checksums.sha256", list);
    REQUIRE_THROWS_WITH(verify_checksums(folder.path()), ContainsSubstring("checksums.sha256:1: expected"));
  };
  refused("nonsense\n");
  refused(sum_of_abc + " model\n");
  refused(sum_of_abc.substr(1) + "  model\n");
  refused(sum_of_abc + "  ../model\n");
  refused(sum_of_abc + "  /model\n");
  folder.write("checksums.sha256", sum_of_abc + " *model\n");  // sha256sum --binary
  REQUIRE_NOTHROW(verify_checksums(folder.path()));
}

TEST_CASE("a list that lost a line is noticed where its file is required") {
  const TemporaryFolder folder;
  folder.write("model", "abc");
  folder.write("other", "abc");
  write_checksums(folder.path());
  REQUIRE_NOTHROW(verify_checksums(folder.path(), {"model", "other"}));
  folder.write("checksums.sha256", sum_of_abc + "  other\n");
  REQUIRE_NOTHROW(verify_checksums(folder.path()));
  REQUIRE_THROWS_WITH(verify_checksums(folder.path(), {"model"}), ContainsSubstring("model is not listed"));
}

TEST_CASE("some files of a folder can be verified alone") {
  const TemporaryFolder folder;
  folder.write("small", "abc");
  folder.write("large", "abc");
  write_checksums(folder.path());
  folder.write("large", "abd");
  REQUIRE_NOTHROW(verify_some_checksums(folder.path(), {"small"}));
  REQUIRE_THROWS_WITH(verify_some_checksums(folder.path(), {"small", "large"}),
                      ContainsSubstring("large: damaged"));
  REQUIRE_THROWS_WITH(verify_some_checksums(folder.path(), {"absent"}), ContainsSubstring("is not listed"));
}
