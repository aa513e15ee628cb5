#include "transformer/train/shares.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/catch.h"

namespace transformer::train {
namespace {

using MicroBatch = Examples::MicroBatch;
using Update = Examples::Update;

/// Examples that know only their number of tokens on both sides together.
class Lengths : public Examples {
 public:
  explicit Lengths(std::vector<std::int64_t> tokens) : tokens_(std::move(tokens)) {}
  data::BatchSize size_of(const MicroBatch& examples) const override {
    data::BatchSize size{.rows = std::ssize(examples)};
    for (const auto i : examples) size.target_tokens += tokens_.at(static_cast<std::size_t>(i));
    size.source_tokens = size.target_tokens / 3;  // of those some are the source's
    size.target_tokens -= size.source_tokens;
    return size;
  }
  double flops(const Update&) const override { return 0; }
  std::any make_batch(const MicroBatch&) const override { return {}; }

  std::int64_t tokens(const Update& update) const {
    std::int64_t sum = 0;
    for (const auto& micro_batch : update)
      for (const auto i : micro_batch) sum += tokens_.at(static_cast<std::size_t>(i));
    return sum;
  }

 private:
  std::vector<std::int64_t> tokens_;
};

/// Examples of random lengths, in micro-batches of at most `micro_tokens` tokens. The first and last
/// micro-batch are smaller, as at the ends of an update.
struct Drawn {
  std::vector<std::int64_t> lengths;
  Update update;

  Drawn(std::uint32_t seed, int examples, std::int64_t micro_tokens) {
    std::mt19937 random(seed);
    for (int i = 0; i < examples; ++i) lengths.push_back(1 + static_cast<std::int64_t>(random() % 60));
    std::int64_t room = micro_tokens / 3;
    for (std::int64_t i = 0; i < examples; ++i) {
      const auto tokens = lengths[static_cast<std::size_t>(i)];
      if (update.empty() || tokens > room) {
        if (!update.empty()) room = micro_tokens;
        update.emplace_back();
      }
      update.back().push_back(i);
      room -= tokens;
    }
  }
};

/// The numbers of all examples in some micro-batches, in order.
std::vector<std::int64_t> examples_of(const Update& update) {
  std::vector<std::int64_t> all;
  for (const auto& micro_batch : update) all.insert(all.end(), micro_batch.begin(), micro_batch.end());
  std::ranges::sort(all);
  return all;
}

/// Whether a micro-batch is a given one or a piece of it, in its order.
bool is_piece_of(const MicroBatch& piece, const Update& update) {
  return std::ranges::any_of(update,
                             [&](const auto& whole) { return !std::ranges::search(whole, piece).empty(); });
}

TEST_CASE(
    "shares are of all examples, each once, in micro-batches that are not larger, and equally many tokens") {
  const std::int64_t processes = GENERATE(1, 2, 3, 4, 7, 16, 100);
  const int examples = GENERATE(1, 3, 40, 700);
  const std::int64_t micro_tokens = GENERATE(60, 300, 2000);
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const Drawn drawn(seed, examples, micro_tokens);
    const Lengths lengths(drawn.lengths);
    CAPTURE(processes, examples, micro_tokens, seed);
    const auto shares = share_out(lengths, drawn.update, processes);
    REQUIRE(std::ssize(shares) == processes);
    Update all;
    for (const auto& share : shares) all.insert(all.end(), share.begin(), share.end());
    CHECK(examples_of(all) == examples_of(drawn.update));
    CHECK(std::ranges::all_of(
        all, [&](const auto& piece) { return !piece.empty() && is_piece_of(piece, drawn.update); }));
    // A share's part may fall amid an example, at either end.
    const auto longest = *std::ranges::max_element(drawn.lengths);
    const double part = static_cast<double>(lengths.tokens(drawn.update)) / static_cast<double>(processes);
    for (const auto& share : shares)
      CHECK(std::abs(static_cast<double>(lengths.tokens(share)) - part) <= static_cast<double>(longest));
    CHECK(share_out(lengths, drawn.update, processes) == shares);
  }
}

TEST_CASE("one process has the whole update, as it is") {
  const Drawn drawn(1, 100, 300);
  auto expected = drawn.update;
  auto share = share_out(Lengths(drawn.lengths), drawn.update, 1).front();
  std::ranges::sort(expected);
  std::ranges::sort(share);
  CHECK(share == expected);
}

TEST_CASE("most micro-batches stay whole") {
  const Drawn drawn(1, 700, 300);  // some eighty
  for (const std::int64_t processes : {2, 4, 8}) {
    const auto shares = share_out(Lengths(drawn.lengths), drawn.update, processes);
    std::int64_t pieces = 0;
    for (const auto& share : shares) pieces += std::ssize(share);
    CHECK(pieces < std::ssize(drawn.update) + 2 * processes);
  }
}

TEST_CASE("fewer examples than processes leave some without any") {
  const Lengths lengths({7, 7});
  const auto shares = share_out(lengths, {{0, 1}}, 5);
  std::vector<std::size_t> counts;
  for (const auto& share : shares) counts.push_back(examples_of(share).size());
  std::ranges::sort(counts);
  CHECK(counts == std::vector<std::size_t>{0, 0, 0, 1, 1});
}

TEST_CASE("an update without examples gives nothing to anybody") {
  CHECK(share_out(Lengths({}), {}, 3) == std::vector<Update>(3));
}

TEST_CASE("equal micro-batches, and one left, by hand") {
  const Lengths lengths(std::vector<std::int64_t>(10, 6));
  // Each has a whole one; of the fifth two examples, three tokens' worth of three being for each.
  const auto shares = share_out(lengths, {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}, 2);
  for (const auto& share : shares) {
    CHECK(lengths.tokens(share) == 30);
    CHECK(share.size() == 3);
  }
}

}  // namespace
}  // namespace transformer::train
