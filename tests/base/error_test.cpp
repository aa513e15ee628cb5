#include "transformer/base/error.h"

#include <cerrno>

#include "tests/catch.h"

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
