#include "transformer/data/blocks.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/dataset_writer.h"

namespace transformer::data {
namespace {

using Ids = std::vector<std::int64_t>;

/// A data set of one text.
Dataset documents(const test::TemporaryFolder& folder, const std::vector<std::vector<std::int32_t>>& texts) {
  const auto file = folder.path() / "text.bin";
  DatasetWriter writer(file, 30);
  for (const auto& text : texts) writer.add(text);
  writer.commit();
  return Dataset(file);
}

Ids all_blocks(const ExampleSource& source) {
  Ids indices(static_cast<std::size_t>(source.size()));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

TEST_CASE("documents lie in blocks, each with its end, and a block goes on where the one before ended") {
  const test::TemporaryFolder folder;
  const auto data = documents(folder, {{10, 11, 12}, {20}, {}, {21, 22}});
  CHECK(stream_length(data) == 10);  // 10 11 12 E | 20 E | E | 21 22 E
  const Blocks blocks(data, 4);
  REQUIRE(blocks.size() == 3);
  const auto batch = blocks.make_batch(Ids{0, 1, 2});
  CHECK(batch.target_input == Ids{kBos, 10, 11, 12, kEos, 20, kEos, kEos, 21, 22});
  CHECK(batch.target_output == Ids{10, 11, 12, kEos, 20, kEos, kEos, 21, 22, kEos});
  CHECK(batch.target_offsets == Ids{0, 4, 8, 10});
  CHECK(batch.source.empty());
  CHECK(batch.source_offsets == Ids{0, 0, 0, 0});
  CHECK(
      (batch.rows == 3 && batch.target_length == 4 && batch.target_tokens == 10 && batch.source_tokens == 0));
  const auto last = blocks.make_batch(Ids{2});
  CHECK(last.target_input == Ids{21, 22});
  CHECK(last.target_output == Ids{22, kEos});
}

TEST_CASE("wherever blocks begin, each token of the stream is asked for once") {
  const test::TemporaryFolder folder;
  const auto data = documents(folder, {{10, 11, 12, 13, 14}, {}, {20}, {21, 22, 23, 24, 25, 26}});
  const Blocks whole(data, 100);
  const auto stream = whole.make_batch(all_blocks(whole)).target_output;
  for (const std::int64_t length : {1, 2, 3, 5, 16, 17, 40}) {
    for (std::int64_t first = 0; first < length; ++first) {
      CAPTURE(length, first);
      const Blocks blocks(data, length, first);
      const auto batch = blocks.make_batch(all_blocks(blocks));
      CHECK(batch.target_output == stream);
      CHECK(std::equal(stream.begin(), stream.end() - 1, batch.target_input.begin() + 1));
      CHECK(batch.target_input.front() == kBos);
      if (first > 0) CHECK(blocks.length(0).target == std::min(first, stream_length(data)));
      for (std::int64_t i = 1; i + 1 < blocks.size(); ++i) CHECK(blocks.length(i).target == length);
      CHECK(blocks.size_of(all_blocks(blocks)).target_tokens == stream_length(data));
      CHECK(blocks.lengths().size() == static_cast<std::size_t>(blocks.size()));
    }
  }
}

TEST_CASE("documents one by one ask for the same tokens as their blocks") {
  const test::TemporaryFolder folder;
  const auto data = documents(folder, {{10, 11}, {20, 21, 22}});
  const auto whole = examples_of(data, 0), blocks = examples_of(data, 3);
  const auto batch = whole->make_batch(Ids{0, 1});
  CHECK(batch.target_output == blocks->make_batch(all_blocks(*blocks)).target_output);
  CHECK(batch.target_input == Ids{kBos, 10, 11, kBos, 20, 21, 22});
  CHECK(whole->length(1).target == 4);
  CHECK(whole->length(1).source == 0);
}

TEST_CASE("an epoch's blocks depend on seed and epoch alone, and begin elsewhere in others") {
  const test::TemporaryFolder folder;
  const auto data = documents(folder, {std::vector<std::int32_t>(500, 7)});
  std::vector<std::int64_t> firsts;
  for (std::int64_t epoch = 0; epoch < 8; ++epoch) {
    firsts.push_back(examples_of(data, 50, 3, epoch)->length(0).target);
    CHECK(examples_of(data, 50, 3, epoch)->length(0).target == firsts.back());
  }
  std::ranges::sort(firsts);
  CHECK(std::ranges::unique(firsts).begin() - firsts.begin() > 3);
  CHECK(examples_of(data, 50)->length(0).target == 50);
}

TEST_CASE("blocks that cannot be are refused, and of nothing there are none") {
  const test::TemporaryFolder folder;
  const auto data = documents(folder, {{10}});
  CHECK_THROWS_AS(Blocks(data, 0), std::invalid_argument);
  CHECK_THROWS_AS(Blocks(data, 3, 3), std::invalid_argument);
  CHECK_THROWS_AS(Blocks(data, 3).length(1), std::out_of_range);
  CHECK(Blocks(documents(folder, {}), 3).size() == 0);
}

}  // namespace
}  // namespace transformer::data
