#include "transformer/base/line_numbers.h"

#include "tests/catch.h"

TEST_CASE("the first lines are named, the others counted") {
  transformer::LineNumbers lines;
  lines.add(3);
  CHECK(lines.names() == "line 3");
  for (const std::size_t line : {17, 20, 21, 40}) lines.add(line);
  CHECK(lines.names() == "lines 3, 17, 20, 21, 40");
  lines.add(50);
  lines.add(60);
  CHECK(lines.names() == "lines 3, 17, 20, 21, 40 and 2 more");
  CHECK(lines.count() == 7);
}
