#include "transformer/base/error.h"

#include <cerrno>
#include <string>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/atomic_file.h"

using namespace transformer;

TEST_CASE("a place that cannot be used is the user's affair, a full disk is not") {
  CHECK_THROWS_AS(throw_file_error("a/file", "creating", EACCES), InputError);
  CHECK_THROWS_AS(throw_file_error("a/file", "creating", ENOENT), InputError);
  CHECK_THROWS_AS(throw_file_error("a/file", "creating", ELOOP), InputError);
  CHECK_THROWS_AS(throw_file_error("a/file", "writing", ENOSPC), RunError);
  CHECK_THROWS_AS(throw_file_error("a/file", "writing", EIO), RunError);
  CHECK_THROWS_WITH(throw_file_error("a/file", "writing", ENOSPC),
                    ContainsSubstring("a/file: writing failed: No space left on device"));
}

TEST_CASE("a message is whole and printable, whatever it quotes") {
  using namespace std::string_literals;
  CHECK(InputError("file:1: found a\0b\nc"s).what() == "file:1: found a\\x00b\\nc"s);
  CHECK(RunError("\x1b[2J\0: writing failed"s).what() == "\\x1b[2J\\x00: writing failed"s);
}

TEST_CASE("an error in what is half-made names the place that the user named") {
  const test::TemporaryFolder folder;
  const auto model = folder.path() / "model";
  const auto expected = (model / "weights").string() + ": writing failed: No space left on device";
  std::filesystem::path temporary;
  {
    const AtomicDirectory directory(model);
    temporary = directory.temporary() / "weights";
    CHECK_THROWS_WITH(throw_file_error(temporary, "writing", ENOSPC), expected);
    const AtomicFile file(temporary);
    CHECK_THROWS_WITH(throw_file_error(file.temporary(), "writing", ENOSPC), expected);
  }
  // It may be reported when all is undone already.
  CHECK_THROWS_WITH(throw_file_error(temporary, "writing", ENOSPC), expected);
}
