#include "data/demo_corpus/nearest.h"

#include "tests/catch.h"

using namespace transformer::demo;

TEST_CASE("the nearest sentence shares the most words and word pairs") {
  const std::vector<std::string> memory = {"a b c d", "d c b a", "x y z", "a b"};
  // Against "a b c": F = 2·5/(5+7), 2·3/(5+7), 0, 2·3/(5+3).
  CHECK(nearest_sentences(memory, {"a b c"}) == std::vector<std::size_t>{0});
  CHECK(nearest_sentences(memory, {"a b", "z", "d c"}) == std::vector<std::size_t>{3, 2, 1});
}

TEST_CASE("repeated words count as often as both sentences have them") {
  CHECK(nearest_sentences({"b", "b b b"}, {"b b b"}) == std::vector<std::size_t>{1});
}

TEST_CASE("of equally near sentences the first is taken, and also where nothing is shared") {
  CHECK(nearest_sentences({"p q", "p q"}, {"p q", "unknown"}) == std::vector<std::size_t>{0, 0});
}
