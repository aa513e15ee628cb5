#include "transformer/trees/tag_alignment.h"

#include "tests/catch.h"

using namespace transformer::trees;

namespace {

using Places = std::vector<std::optional<std::size_t>>;
constexpr std::nullopt_t none = std::nullopt;

}  // namespace

TEST_CASE("marks have the tag of their form, and words none") {
  CHECK(tag_of_form(",") == ",");
  CHECK(tag_of_form("?") == ".");
  CHECK(tag_of_form(";") == ":");
  CHECK(tag_of_form("\u201d") == "''");
  CHECK(tag_of_form("-LRB-") == "-LRB-");
  CHECK(tag_of_form("-").empty());
  CHECK(tag_of_form("cat").empty());
  CHECK(is_tag_of_form("``"));
  CHECK_FALSE(is_tag_of_form("NN"));
}

TEST_CASE("tags meet words with the fewest left out, and marks meet their tags") {
  CHECK(align_tags({"DT", "NN"}, {"the", "cat"}) == Places{0, 1});
  CHECK(align_tags({"DT", ",", "VB"}, {"the", "cat", ",", "sat"}) == Places{0, 2, 3});
  CHECK(align_tags({"DT", "JJ", "NN", ".", "VB"}, {"the", "cat", "."}) == Places{0, 1, none, 2, none});
  CHECK(align_tags({"NN", "NN", "NN"}, {"a", "b"}) == Places{0, 1, none});
  CHECK(align_tags({"NN"}, {"a", "b"}) == Places{0});
  CHECK(align_tags({}, {"a"}) == Places{});
  CHECK(align_tags({"NN"}, {}) == Places{none});
  // Between two marks a word has no tag and a tag no word, and both marks have theirs.
  CHECK(align_tags({"DT", "JJ", "NN", ",", "VB"}, {"the", "cat", ",", "sat", "here"}) ==
        Places{0, 1, none, 2, 3});
  CHECK(align_tags({"NN", ",", "NN", "."}, {"a", "b", ",", "."}) == Places{0, 2, none, 3});
  // Another mark's tag is nearer than none.
  CHECK(align_tags({"NN", ",", "NN"}, {"a", ";", "b", "c"}) == Places{0, 1, 2});
}
