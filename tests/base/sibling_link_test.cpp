#include "transformer/base/sibling_link.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("a link leads to what is beside it, and to another thing later") {
  const TemporaryFolder folder;
  const auto link = folder.path() / "last";
  CHECK_FALSE(linked_sibling(link));
  for (const auto* name : {"one", "two"}) {
    link_to_sibling(link, name);
    CHECK(linked_sibling(link) == name);
    CHECK(fs::is_symlink(link));
  }
  CHECK_THROWS_AS(link_to_sibling(folder.path() / "none" / "last", "one"), InputError);
}

TEST_CASE("a file of one line is a link, as a file system without links has them, and gives way to one") {
  const TemporaryFolder folder;
  const auto link = folder.write("last", "one\n");
  CHECK(linked_sibling(link) == "one");
  link_to_sibling(link, "two");
  CHECK(fs::is_symlink(link));
}

TEST_CASE("other files, and folders, are no links") {
  const TemporaryFolder folder;
  for (const auto& text : {std::string(), std::string("one"), std::string("one\ntwo\n"), std::string("\n\n"),
                           std::string(1000, 'x') + "\n"})
    CHECK_FALSE(linked_sibling(folder.write("file", text)));
  CHECK_FALSE(linked_sibling(folder.path()));
}
