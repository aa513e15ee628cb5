#include "transformer/data/epoch_shares.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/data/batching.h"

namespace transformer::data {
namespace {

using Ids = std::vector<std::int64_t>;

TEST_CASE("without weights an epoch has each example once") {
  CHECK(examples_of_epoch(4, {}, 1, 7) == Ids{0, 1, 2, 3});
  DataOptions options;
  options.more_train = {"more"};
  CHECK(epoch_shares(options, {3, 5}).empty());
  options.weights = {1, 1};
  CHECK(epoch_shares(options, {3, 5}).empty());
}

TEST_CASE("a text's share ends where the next one's begins") {
  DataOptions options;
  options.more_train = {"more"};
  options.weights = {1, 0.25};
  const auto shares = epoch_shares(options, {3, 5});
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].end == 3);
  CHECK(shares[0].weight == 1);
  CHECK(shares[1].end == 8);
  CHECK(shares[1].weight == 0.25);
  options.weights = {1};
  CHECK_THROWS_AS(epoch_shares(options, {3, 5}), InputError);
  CHECK_THROWS_WITH(epoch_shares(options, {3, 5}),
                    "data.weights: expected 2 numbers, one for each text of data.train, found 1");
}

TEST_CASE("over the epochs each example comes as often as its weight says, evenly") {
  constexpr std::int64_t kFirst = 50, kAll = 650;
  for (const double weight : {0.1, 0.3, 1.0, 2.5}) {
    CAPTURE(weight);
    const EpochShares shares = {{kFirst, 3.0}, {kAll, weight}};
    std::map<std::int64_t, std::int64_t> all;
    for (std::int64_t epoch = 0; epoch < 10; ++epoch) {
      const auto examples = examples_of_epoch(kAll, shares, 5, epoch);
      CHECK(std::ranges::is_sorted(examples));
      std::map<std::int64_t, std::int64_t> times;
      for (const auto example : examples) ++times[example];
      for (std::int64_t example = 0; example < kAll; ++example) {
        const double expected = example < kFirst ? 3.0 : weight;
        CHECK(std::abs(static_cast<double>(times[example]) - expected) < 1);  // rounded up or down
        all[example] += times[example];
      }
      // About as many of the second text in each epoch: 600 weight, and its binomial deviation five times.
      const auto second = static_cast<double>(std::ssize(examples) - 3 * kFirst);
      CHECK(std::abs(second - weight * (kAll - kFirst)) < 5 * std::sqrt(600 * 0.25));
    }
    for (std::int64_t example = kFirst; example < kAll; ++example)
      CHECK(all[example] == std::lround(10 * weight));  // 10 weight is a whole number
  }
}

TEST_CASE("which examples come is a function of seed and epoch") {
  const EpochShares shares = {{1000, 0.5}};
  const auto first = examples_of_epoch(1000, shares, 1, 0);
  CHECK(first == examples_of_epoch(1000, shares, 1, 0));
  CHECK(first != examples_of_epoch(1000, shares, 2, 0));
  // With weight 1/2, the examples of the next epoch are the others.
  const auto next = examples_of_epoch(1000, shares, 1, 1);
  Ids both;
  std::ranges::merge(first, next, std::back_inserter(both));
  CHECK(both == examples_of_epoch(1000, {}, 1, 0));
}

TEST_CASE("an epoch that would be empty is refused") {
  CHECK_THROWS_AS(examples_of_epoch(1, {{1, 1e-9}}, 1, 4), InputError);
  CHECK_THROWS_WITH(
      examples_of_epoch(1, {{1, 1e-9}}, 1, 4),
      "data.weights: expected weights that leave examples to each epoch, found none for epoch 5");
}

TEST_CASE("a plan has what its epoch has") {
  const std::vector<Length> lengths(40, Length{3, 4});
  const EpochShares shares = {{10, 2.0}, {40, 0.5}};
  const BatchLimits limits{.source_tokens = 20, .target_tokens = 20};
  Ids planned;
  for (const auto& batch : BatchPlan(lengths, limits, 3, 2, shares).micro_batches())
    planned.insert(planned.end(), batch.begin(), batch.end());
  std::ranges::sort(planned);
  CHECK(planned == examples_of_epoch(40, shares, 3, 2));
  CHECK(std::ranges::count(planned, 0) == 2);
}

}  // namespace
}  // namespace transformer::data
