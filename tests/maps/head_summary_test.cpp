#include "transformer/maps/head_summary.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/maps/sample_map.h"

using namespace transformer;

namespace {

/// One layer and head over "Hi", ",", the end; the decoder reads the begin and "Da", and writes "Da", the
/// end.
maps::AttentionMap small_map() {
  maps::AttentionMap map;
  map.source = {{"\u2581Hi", true}, {",", false}, {"</s>", true, true}};
  map.read = {{"<s>", true, true}, {"\u2581Da", true}};
  map.target = {{"\u2581Da", true}, {"</s>", true, true}};
  map.encoder = {1, 1, 3, 3, {0.5F, 0.5F, 0, 1, 0, 0, 0.25F, 0.25F, 0.5F}};
  map.masked = {1, 1, 2, 2, {1, 0, 0.75F, 0.25F}};
  map.cross = {1, 1, 2, 3, {0, 0, 1, 0, 1, 0}};
  return map;
}

}  // namespace

TEST_CASE("the figures of a head are means over its queries") {
  maps::HeadStatistics statistics;
  CHECK(statistics.summaries().empty());
  statistics.add(small_map());
  const auto heads = statistics.summaries();
  REQUIRE(heads.size() == 3);
  const auto& encoder = heads[0];
  CHECK(encoder.kind == maps::AttentionKind::encoder);
  // Rows of ln 2, 0 and 2 · 1/4 ln 4 + 1/2 ln 2 = 1.5 ln 2.
  CHECK(encoder.entropy == Approx(2.5 * std::log(2.0) / 3));
  CHECK(encoder.largest == Approx((0.5 + 1 + 0.5) / 3));
  CHECK(encoder.distance == Approx((0.5 + 1 + 0.25 * 2 + 0.25) / 3));
  CHECK(encoder.previous == Approx((0 + 1 + 0.25) / 3));
  CHECK(encoder.same == Approx((0.5 + 0 + 0.5) / 3));
  CHECK(encoder.next == Approx(0.5 / 3));
  CHECK(encoder.punctuation == Approx((0.5 + 0 + 0.25) / 3));
  CHECK(encoder.special == Approx(0.5 / 3));
  const auto& masked = heads[1];
  CHECK(masked.kind == maps::AttentionKind::masked);
  CHECK(masked.special == Approx((1 + 0.75) / 2));
  CHECK(masked.next == 0);
  CHECK(masked.previous == Approx(0.75 / 2));
  const auto& cross = heads[2];
  CHECK(cross.kind == maps::AttentionKind::cross);
  CHECK(cross.entropy == 0);
  CHECK(cross.largest == 1);
  CHECK(cross.distance == Approx(1));
  CHECK(cross.same == Approx(0.5));
  CHECK(cross.punctuation == Approx(0.5));
  CHECK(cross.special == Approx(0.5));
}

TEST_CASE("a longer sentence counts as often as it has queries") {
  maps::HeadStatistics statistics;
  statistics.add(small_map());
  auto one = small_map();
  one.source = {{"</s>", true, true}}, one.encoder = {1, 1, 1, 1, {1}};
  one.cross = {1, 1, 2, 1, {1, 1}};
  statistics.add(one);
  CHECK(statistics.summaries()[0].special == Approx((0.5 + 1) / 4));
}

TEST_CASE("shares and entropies of any heads are within their bounds") {
  std::mt19937 random(3);
  maps::HeadStatistics statistics;
  for (int i = 0; i < 3; ++i) statistics.add(test::random_map(random, {2, 3, 9, 7}));
  const auto heads = statistics.summaries();
  REQUIRE(heads.size() == 3 * 2 * 3);
  for (const auto& head : heads) {
    CHECK(head.entropy > 0);
    CHECK(head.entropy < std::log(9.0));
    CHECK(head.largest > 1.0 / 9);
    CHECK(head.previous + head.same + head.next < 1);
    CHECK((head.next == 0) == (head.kind == maps::AttentionKind::masked));
  }
  CHECK(heads[4].layer == 1);
  CHECK(heads[4].head == 1);
}

TEST_CASE("punctuation is what Unicode calls so, blanks aside") {
  for (const auto* piece : {",", "\u2581.", "\u00bb", "...", "\u3002", "\u2581\u2013"})
    CHECK(maps::is_punctuation(piece));
  for (const auto* piece : {"", "\u2581", "a", "a.", "$", "</s>", "\xff"})
    CHECK_FALSE(maps::is_punctuation(piece));
}

TEST_CASE("a summary is a table, layers and heads counted from 1") {
  maps::HeadStatistics statistics;
  statistics.add(small_map());
  const auto heads = statistics.summaries();
  const auto tsv = maps::heads_as_tsv(heads);
  CHECK(tsv.starts_with(
      "kind\tlayer\thead\tentropy\tlargest\tdistance\tprevious\tsame\tnext\tpunctuation\tspecial\n"
      "encoder\t1\t1\t0.577623\t0.666667\t"));
  CHECK(std::ranges::count(tsv, '\n') == 4);
  const auto markdown = maps::heads_as_markdown(heads);
  CHECK(markdown.starts_with("| kind | layer | head | entropy |"));
  CHECK_THAT(markdown, ContainsSubstring("\n| --- | ---: | ---: | ---: |"));
  CHECK_THAT(markdown, ContainsSubstring("\n| cross | 1 | 1 | 0.00 | 1.00 | 1.00 |"));
}
