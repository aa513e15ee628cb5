#include "transformer/translation/batches.h"

#include "tests/catch.h"
#include "transformer/base/special_tokens.h"

using namespace transformer;

TEST_CASE("sentences are cut into batches by falling length") {
  // Lines of 20, 0, 30, 30 and 2 ids.
  std::vector<std::vector<std::int32_t>> ids;
  for (const std::size_t length : {20, 0, 30, 30, 2}) ids.emplace_back(length, 9);
  SECTION("all together") {
    const auto batches = translation::make_batches(ids, 4096, 100);
    REQUIRE(batches.size() == 1);
    CHECK(batches[0].lines == std::vector<std::size_t>{2, 3, 0, 4});
    CHECK(batches[0].ids[3] == std::vector<std::int32_t>{9, 9, kEos});
  }
  SECTION("by padded tokens, the end token counted") {
    const auto batches = translation::make_batches(ids, 62, 100);
    REQUIRE(batches.size() == 2);
    CHECK(batches[0].lines == std::vector<std::size_t>{2, 3});
    CHECK(batches[1].lines == std::vector<std::size_t>{0, 4});
  }
  SECTION("a sentence that is too long stands alone") {
    CHECK(translation::make_batches(ids, 1, 100).size() == 4);
  }
  SECTION("by sentences") {
    const auto batches = translation::make_batches(ids, 4096, 3);
    REQUIRE(batches.size() == 2);
    CHECK(batches[0].lines.size() == 3);
  }
  CHECK(translation::make_batches({{}, {}}, 4096, 3).empty());
}
