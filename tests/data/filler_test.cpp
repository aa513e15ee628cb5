#include "transformer/data/filler.h"

#include <numeric>
#include <set>

#include "tests/catch.h"
#include "transformer/base/random.h"

namespace transformer::data {
namespace {

/// Sentences of these lengths on both sides, all tokens different.
Batch batch_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& lengths) {
  Batch batch;
  batch.source_offsets = batch.target_offsets = {0};
  for (const auto& [source, target] : lengths) {
    batch.add({source, target});
    batch.source_offsets.push_back(batch.source_offsets.back() + source);
    batch.target_offsets.push_back(batch.target_offsets.back() + target);
    batch.indices.push_back(std::ssize(batch.indices));
  }
  const auto fill = [](std::vector<std::int64_t>& ids, std::int64_t count, std::int64_t first) {
    ids.resize(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), first);
  };
  fill(batch.source, batch.source_tokens, 0);
  fill(batch.target_input, batch.target_tokens, 100000);
  fill(batch.target_output, batch.target_tokens, 200000);
  return batch;
}

TEST_CASE("few numbers recur, and none is far above what is asked for") {
  CHECK(recurring(1) == 8);
  CHECK(recurring(8) == 8);
  CHECK(recurring(127) == 128);
  CHECK(recurring(129) == 136);
  CHECK(recurring(255) == 256);
  CHECK(recurring(257) == 272);
  CHECK(recurring(17000) == 17408);
  CHECK(recurring(25000) == 25600);
  CHECK(recurring(32768) == 32768);
  CHECK(recurring_examples(1) == 8);
  CHECK(recurring_examples(130) == 160);
  CHECK(recurring_examples(830) == 896);
  std::set<std::int64_t> found;
  for (std::int64_t tokens = 1; tokens <= 65536; ++tokens) {
    const auto number = recurring(tokens);
    REQUIRE(number >= tokens);
    REQUIRE(recurring(number) == number);
    if (tokens >= 128) REQUIRE(static_cast<double>(number) < 1.0625 * static_cast<double>(tokens) + 1);
    found.insert(number);
  }
  CHECK(found.size() == 16 + 9 * 16);
}

TEST_CASE("a batch is filled up with sentences of its own tokens, no longer than its own") {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::pair<std::int64_t, std::int64_t>> lengths;
    const auto sentences = 1 + random.below(trial % 3 == 0 ? 3 : 120);
    for (std::uint64_t i = 0; i < sentences; ++i)
      lengths.emplace_back(1 + random.below(trial % 2 == 0 ? 4 : 60), 1 + random.below(30));
    const auto before = batch_of(lengths);
    auto batch = before;
    fill_up(batch);
    CHECK(std::ssize(batch.source) == recurring(std::ssize(batch.source)));
    CHECK(std::ssize(batch.target_input) == recurring(std::ssize(batch.target_input)));
    const auto filled = std::ssize(batch.target_offsets) - 1;
    CHECK(filled == recurring_examples(filled));
    // What was there is there, and is what is counted and asked for.
    CHECK(std::equal(before.source.begin(), before.source.end(), batch.source.begin()));
    CHECK(std::equal(before.target_input.begin(), before.target_input.end(), batch.target_input.begin()));
    CHECK(batch.target_output == before.target_output);
    CHECK(batch.indices == before.indices);
    CHECK(batch.rows == before.rows);
    CHECK(batch.target_tokens == before.target_tokens);
    const auto own = std::set<std::int64_t>(before.source.begin(), before.source.end());
    for (const auto id : batch.source) REQUIRE(own.contains(id));
    // As many sentences on both sides, each with tokens.
    REQUIRE(batch.source_offsets.size() == batch.target_offsets.size());
    CHECK(batch.source_offsets.back() == std::ssize(batch.source));
    CHECK(batch.target_offsets.back() == std::ssize(batch.target_input));
    for (std::size_t i = 1; i < batch.source_offsets.size(); ++i) {
      const auto source = batch.source_offsets[i] - batch.source_offsets[i - 1],
                 target = batch.target_offsets[i] - batch.target_offsets[i - 1];
      REQUIRE((source >= 1 && source <= before.source_length));
      REQUIRE((target >= 1 && target <= before.target_length));
    }
  }
}

TEST_CASE("a batch whose numbers recur stays as it is") {
  std::vector<std::pair<std::int64_t, std::int64_t>> lengths(7, {2, 3});
  lengths.emplace_back(10, 11);
  auto batch = batch_of(lengths);
  const auto offsets = batch.source_offsets;
  fill_up(batch);
  CHECK(batch.source_offsets == offsets);
  CHECK(batch.source.size() == 24);
  CHECK(batch.target_input.size() == 32);
}

}  // namespace
}  // namespace transformer::data
