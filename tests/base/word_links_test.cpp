#include "transformer/base/word_links.h"

#include "tests/catch.h"
#include "transformer/base/error.h"

using namespace transformer;

namespace {

using Lines = std::vector<std::string>;

std::string refusal(const Lines& lines, bool gold) {
  try {
    gold ? (void)parse_gold_links(lines, "file") : (void)parse_links(lines, "file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("links are read in any order, each once") {
  const auto links = parse_links({"2-1 0-0\t0-0  1-2 ", "", "10-11"}, "links");
  REQUIRE(links.size() == 3);
  CHECK(links[0] == Links{{0, 0}, {1, 2}, {2, 1}});
  CHECK(format_links(links[0]) == "0-0 1-2 2-1");
  CHECK(links[1].empty());
  CHECK(format_links(links[1]).empty());
  CHECK(links[2] == Links{{10, 11}});
  CHECK(links_of({{2, 1}, {0, 0}, {1, 2}, {0, 0}}) == links[0]);
}

TEST_CASE("a gold link is sure or possible, and sure ones are possible, too") {
  const auto gold = parse_gold_links({"0-0 1?2 3p1 1-2"}, "gold")[0];
  CHECK(gold.sure == Links{{0, 0}, {1, 2}});
  CHECK(gold.possible == Links{{0, 0}, {1, 2}, {3, 1}});
}

TEST_CASE("other lines are refused by file, line and what stands there") {
  for (const char* bad : {"0-0 1", "1-", "-1", "0--1", "1-2-3", "a-b", "0-0,1-1", "+1-2", "0 - 1", "0-1x",
                          "99999999999999999999-0"}) {
    INFO(bad);
    CHECK(refusal({"0-0", bad}, false)
              .starts_with("file:2: expected links of words counted from 0, such as 0-1, "));
    CHECK(refusal({"0-0", bad}, true).starts_with("file:2: expected "));
  }
  CHECK(refusal({"0-0 1?1"}, false).ends_with("found '1?1'"));
  CHECK(refusal({"0-0 1p"}, true).ends_with("such as 0-1 or 0?1, found '1p'"));
  CHECK(refusal({"0-0 1?1 2p2", ""}, true).empty());
}
