#include "transformer/data/batching.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "tests/catch.h"
#include "tests/data/write_dataset.h"
#include "tests/temporary_folder.h"
#include "transformer/data/dataset_writer.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;
using Ids = std::vector<std::int64_t>;

/// Pairs like those of a real corpus: sentences of 1 to `longest` tokens and translations of about equal
/// length.
Dataset random_data(const TemporaryFolder& folder, std::int64_t pairs, int longest = 60) {
  std::mt19937 random(7);
  Sentences source;
  Sentences target;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const auto length = 1 + std::min<unsigned>(random() % static_cast<unsigned>(longest),
                                               random() % static_cast<unsigned>(longest));
    const auto other = std::max<int>(1, static_cast<int>(length) + static_cast<int>(random() % 7) - 3);
    source.add(std::vector<std::int32_t>(length, 4));
    target.add(std::vector<std::int32_t>(static_cast<std::size_t>(other), 5));
  }
  test::write_dataset(folder.path() / "data.bin", source, target, 10, 10);
  return Dataset(folder.path() / "data.bin");
}

std::vector<BatchPlan::Update> updates_of(const BatchPlan& plan) {
  std::vector<BatchPlan::Update> updates;
  for (std::int64_t i = 0; i < plan.size(); ++i) updates.push_back(plan.update(i));
  return updates;
}

Ids in_order(const std::vector<BatchPlan::Update>& updates) {
  Ids all;
  for (const auto& update : updates) {
    for (const auto& batch : update) all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

Ids all_of(const Dataset& data) {
  Ids all;
  for (std::int64_t i = 0; i < data.size(); ++i) all.push_back(i);
  return all;
}

TEST_CASE("a batch holds its sentences, begins, ends and padding") {
  const TemporaryFolder folder;
  Sentences source;
  source.add(std::vector<std::int32_t>{5, 6, 7});
  source.add(std::vector<std::int32_t>{});
  source.add(std::vector<std::int32_t>{8});
  Sentences target;
  target.add(std::vector<std::int32_t>{9});
  target.add(std::vector<std::int32_t>{10, 11});
  target.add(std::vector<std::int32_t>{});
  test::write_dataset(folder.path() / "data.bin", source, target, 20, 20);
  const Dataset data(folder.path() / "data.bin");

  const auto batch = make_batch(data, Ids{1, 0});
  CHECK(batch.rows == 2);
  CHECK(batch.source_length == 4);
  CHECK(batch.target_length == 3);
  CHECK(batch.source == Ids{kEos, 5, 6, 7, kEos});
  CHECK(batch.source_offsets == Ids{0, 1, 5});
  CHECK(batch.target_input == Ids{kBos, 10, 11, kBos, 9});
  CHECK(batch.target_output == Ids{10, 11, kEos, 9, kEos});
  CHECK(batch.target_offsets == Ids{0, 3, 5});
  CHECK(batch.indices == Ids{1, 0});
  CHECK(batch.source_tokens == 5);
  CHECK(batch.target_tokens == 5);

  const auto short_one = make_batch(data, Ids{2});
  CHECK(short_one.source == Ids{8, kEos});
  CHECK(short_one.target_input == Ids{kBos});
  CHECK(short_one.target_output == Ids{kEos});
  CHECK(make_batch(data, {}).rows == 0);
  CHECK_THROWS_AS(make_batch(data, Ids{3}), std::out_of_range);
}

TEST_CASE("each sentence occurs once an epoch, and the limits hold") {
  const TemporaryFolder folder;
  const auto data = random_data(folder, 5000);
  const auto limits =
      GENERATE(BatchLimits{2000, 2000, 500}, BatchLimits{2000, 2000, 2000}, BatchLimits{1000, 1000, 4000},
               BatchLimits{1000, 100000, 300}, BatchLimits{1, 1, 1}, BatchLimits{1 << 30, 1 << 30, 1 << 30});
  const auto updates = updates_of(BatchPlan(lengths_of(data), limits, 1, 0));
  auto sentences = in_order(updates);
  std::ranges::sort(sentences);
  CHECK(sentences == all_of(data));

  for (const auto& update : updates) {
    std::int64_t source = 0;
    std::int64_t target = 0;
    std::int64_t last = 0;  // the longest a sentence adds
    for (const auto& indices : update) {
      const auto batch = make_batch(data, indices);
      const auto longer = std::max(batch.source_length, batch.target_length);
      REQUIRE(batch.rows > 0);
      REQUIRE((longer * batch.rows <= limits.bucket_tokens || batch.rows == 1));
      source += batch.source_tokens;
      target += batch.target_tokens;
      last = longer;
    }
    const bool is_last = &update == &updates.back();
    REQUIRE((is_last || source >= limits.source_tokens || target >= limits.target_tokens));
    // The sentence that reaches the limit is the last one.
    REQUIRE(source < limits.source_tokens + last);
    REQUIRE(target < limits.target_tokens + last);
  }
}

TEST_CASE("a plan is a function of seed and epoch") {
  const TemporaryFolder folder;
  const auto data = random_data(folder, 2000);
  const BatchLimits limits = {1000, 1000, 400};
  const auto plan = updates_of(BatchPlan(lengths_of(data), limits, 1, 0));
  CHECK(plan == updates_of(BatchPlan(lengths_of(data), limits, 1, 0)));
  const auto next = updates_of(BatchPlan(lengths_of(data), limits, 1, 1));
  const auto other = updates_of(BatchPlan(lengths_of(data), limits, 2, 0));
  CHECK(plan != next);
  CHECK(plan != other);
  CHECK(next != other);

  // Not only the order of equal batches changes: sentences meet others.
  const auto companions = [](const std::vector<BatchPlan::Update>& updates, std::int64_t of) {
    for (const auto& update : updates) {
      for (auto batch : update) {
        if (std::ranges::count(batch, of) == 0) continue;
        std::ranges::sort(batch);
        return batch;
      }
    }
    return Ids{};
  };
  int changed = 0;
  for (std::int64_t i = 0; i < 100; ++i) changed += companions(plan, i) != companions(next, i);
  CHECK(changed > 90);
}

TEST_CASE("a plan is the same with every compiler and library") {
  const TemporaryFolder folder;
  Sentences sentences;
  for (int i = 0; i < 12; ++i)
    sentences.add(std::vector<std::int32_t>(static_cast<std::size_t>(1 + i % 3), 4));
  test::write_dataset(folder.path() / "data.bin", sentences, sentences, 10, 10);
  const Dataset data(folder.path() / "data.bin");
  // As a separate program in another language computed it; a change here changes what every seed means.
  CHECK(in_order(updates_of(BatchPlan(lengths_of(data), {8, 8, 8}, 1, 0))) ==
        Ids{11, 2, 8, 5, 0, 3, 6, 9, 1, 7, 10, 4});

  Sentences source, target;  // lengths that share buckets
  for (std::size_t i = 0; i < 24; ++i) {
    source.add(std::vector<std::int32_t>(11 + i % 3, 4));
    target.add(std::vector<std::int32_t>(11 + i % 4, 4));
  }
  test::write_dataset(folder.path() / "long.bin", source, target, 10, 10);
  const Dataset longer(folder.path() / "long.bin");
  CHECK(in_order(updates_of(BatchPlan(lengths_of(longer), {65, 65, 65}, 1, 0))) ==
        Ids{23, 19, 11, 7, 16, 8, 4, 13, 17, 5, 20, 14, 12, 21, 18, 0, 9, 6, 15, 3, 22, 2, 10, 1});
  CHECK(in_order(updates_of(BatchPlan(lengths_of(longer), {65, 65, 65}, 1, 1))) ==
        Ids{14, 6, 3, 22, 2, 7, 23, 11, 15, 18, 10, 19, 4, 5, 21, 20, 1, 12, 8, 16, 0, 17, 9, 13});
}

/// The share of its mates in a micro-batch that the average sentence meets again in another plan.
double share_of_old_mates(const BatchPlan& before, const BatchPlan& after, std::int64_t sentences) {
  std::vector<std::pair<std::int64_t, std::size_t>> batch_of(static_cast<std::size_t>(sentences));
  for (std::int64_t i = 0; i < after.size(); ++i)
    for (std::size_t batch = 0; batch < after.update(i).size(); ++batch)
      for (const auto sentence : after.update(i)[batch])
        batch_of[static_cast<std::size_t>(sentence)] = {i, batch};
  double sum = 0;
  for (const auto& update : updates_of(before)) {
    for (const auto& batch : update) {
      std::map<std::pair<std::int64_t, std::size_t>, double> together;
      for (const auto sentence : batch) together[batch_of[static_cast<std::size_t>(sentence)]] += 1;
      for (const auto& [_, count] : together)
        if (batch.size() > 1) sum += count * (count - 1) / static_cast<double>(batch.size() - 1);
    }
  }
  return sum / static_cast<double>(sentences);
}

TEST_CASE("a sentence meets others in each epoch") {
  const TemporaryFolder folder;
  // Few sentences of many lengths, which must be mixed with care; and so many of few that nothing need be
  // done.
  const auto [pairs, longest, tokens, most_mates, most_padding] =
      GENERATE(std::tuple(20000, 60, 2000, 0.35, 0.05), std::tuple(29000, 30, 2000, 0.35, 0.05),
               std::tuple(40000, 8, 100, 0.05, 0.02));
  const auto data = random_data(folder, pairs, longest);
  const BatchLimits limits = {tokens, tokens, tokens * 11 / 10};
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    const BatchPlan plan(lengths_of(data), limits, 1, epoch);
    const auto mates =
        share_of_old_mates(plan, BatchPlan(lengths_of(data), limits, 1, epoch + 1), data.size());
    INFO("up to " << longest << " tokens: mates " << mates << ", padding " << plan.padding_share());
    CHECK(mates < most_mates);
    CHECK(plan.padding_share() < most_padding);
  }
}

TEST_CASE("batches of similar lengths have little padding") {
  const TemporaryFolder folder;
  const auto data = random_data(folder, 20000);
  const BatchPlan plan(lengths_of(data), {25000, 25000, 4096}, 1, 0);
  CHECK(plan.padding_share() < 0.05);
  std::int64_t real = 0;
  std::int64_t padded = 0;
  for (const auto& update : updates_of(plan)) {
    for (const auto& indices : update) {
      const auto batch = make_batch(data, indices);
      real += batch.source_tokens + batch.target_tokens;
      CHECK(std::ssize(batch.source) + std::ssize(batch.target_input) ==
            batch.source_tokens + batch.target_tokens);
      padded += batch.padded_tokens();
    }
  }
  CHECK(plan.padding_share() == Approx(1.0 - static_cast<double>(real) / static_cast<double>(padded)));
}

TEST_CASE("with micro-batches as large as updates most updates are one pass") {
  const TemporaryFolder folder;
  const auto data = random_data(folder, 20000);
  const auto updates = updates_of(BatchPlan(lengths_of(data), {2000, 2000, 2400}, 1, 0));
  std::size_t passes = 0;
  for (const auto& update : updates) passes += update.size();
  CHECK(static_cast<double>(passes) < 1.2 * static_cast<double>(updates.size()));
}

TEST_CASE("how an update is cut into passes does not change which sentences it has") {
  const TemporaryFolder folder;
  const auto data = random_data(folder, 5000);
  const auto lengths = lengths_of(data);
  const auto sentences_of = [](const BatchPlan::Update& update) {
    std::multiset<std::int64_t> all;
    for (const auto& pass : update) all.insert(pass.begin(), pass.end());
    return all;
  };
  for (const std::int64_t tokens : {300, 2000}) {  // of an update: below a bucket's, and above
    BatchLimits limits = {tokens, tokens, 400};
    const BatchPlan by_buckets(lengths, limits, 1, 0);
    for (const std::int64_t micro_tokens : {1, 50, 399, 400, 799, 800, 1000, 100000}) {
      CAPTURE(tokens, micro_tokens);
      limits.micro_tokens = micro_tokens;
      const BatchPlan plan(lengths, limits, 1, 0);
      REQUIRE(plan.size() == by_buckets.size());
      for (std::int64_t i = 0; i < plan.size(); ++i) {
        const auto& update = plan.update(i);
        REQUIRE(sentences_of(update) == sentences_of(by_buckets.update(i)));
        for (const auto& pass : update) {
          const auto size = batch_size(data, pass);
          // A pass of several batches has fewer tokens than rows times the longest sentence.
          if (micro_tokens < 800)
            REQUIRE((std::max(size.source_length, size.target_length) * size.rows <= micro_tokens ||
                     size.rows == 1));
          REQUIRE((std::max(size.source_tokens, size.target_tokens) <= micro_tokens || size.rows == 1));
        }
        if (micro_tokens == 400 || micro_tokens == 799) REQUIRE(update == by_buckets.update(i));
        if (micro_tokens == 100000) REQUIRE(update.size() == 1);
      }
      CHECK(plan.padding_share() == by_buckets.padding_share());
    }
  }
}

TEST_CASE("updates mix lengths and come in no order of lengths") {
  const TemporaryFolder folder;
  const auto data = random_data(folder, 5000);
  const BatchPlan plan(lengths_of(data), {500, 500, 500}, 1, 0);
  int rises = 0;
  for (std::int64_t i = 1; i < plan.size(); ++i) {
    const auto length = [&](std::int64_t update) { return data.source(plan.update(update)[0][0]).size(); };
    rises += length(i) > length(i - 1);
  }
  CHECK(rises > plan.size() * 2 / 5);
  CHECK(rises < plan.size() * 3 / 5);
}

TEST_CASE("a sentence longer than a micro-batch is one of its own") {
  const TemporaryFolder folder;
  Sentences sentences;
  for (const std::size_t length : {3, 100, 3, 3}) sentences.add(std::vector<std::int32_t>(length, 4));
  test::write_dataset(folder.path() / "data.bin", sentences, sentences, 10, 10);
  const Dataset data(folder.path() / "data.bin");
  const auto batches = BatchPlan::sequential(lengths_of(data), 16).micro_batches();
  REQUIRE(batches.size() == 2);
  CHECK(batches[0] == Ids{0, 2, 3});
  CHECK(batches[1] == Ids{1});
}

TEST_CASE("sequential batches hold every sentence once, shortest first") {
  const TemporaryFolder folder;
  const auto data = random_data(folder, 3000);
  const auto batches = BatchPlan::sequential(lengths_of(data), 1000).micro_batches();
  CHECK(batches == BatchPlan::sequential(lengths_of(data), 1000).micro_batches());
  Ids sentences;
  std::int64_t previous = 0;
  for (const auto& indices : batches) {
    const auto batch = make_batch(data, indices);
    CHECK(std::max(batch.source_length, batch.target_length) * batch.rows <= 1000);
    CHECK(batch.target_length >= previous);
    previous = batch.target_length;
    sentences.insert(sentences.end(), indices.begin(), indices.end());
  }
  std::ranges::sort(sentences);
  CHECK(sentences == all_of(data));
}

TEST_CASE("data of one side are planned and batched by that side") {
  const TemporaryFolder folder;
  const auto pairs = random_data(folder, 3000);
  DatasetWriter writer(folder.path() / "one.bin", 10);
  for (std::int64_t i = 0; i < pairs.size(); ++i) writer.add(pairs.target(i));
  writer.commit();
  const Dataset data(folder.path() / "one.bin");
  const auto lengths = lengths_of(data);

  const auto batch = make_batch(data, Ids{3, 4});
  CHECK(batch.source.empty());
  CHECK(batch.source_length == 0);
  CHECK(batch.source_tokens == 0);
  CHECK(batch.target_output == make_batch(pairs, Ids{3, 4}).target_output);

  for (const std::int64_t epoch : {0, 1}) {
    const BatchPlan plan(lengths, {.target_tokens = 900, .bucket_tokens = 300}, 1, epoch);
    CHECK(plan.padding_share() < 0.05);
    for (std::int64_t i = 0; i + 1 < plan.size(); ++i) {
      std::int64_t tokens = 0, last = 0;
      for (const auto& indices : plan.update(i)) {
        const auto size = batch_size(data, indices);
        CHECK(size.padded_tokens() <= 300);
        tokens += size.target_tokens;
        last = std::ssize(data.target(indices.back())) + 1;
      }
      CHECK(tokens >= 900);
      CHECK(tokens - last < 900);
    }
    auto sentences = in_order(updates_of(plan));
    std::ranges::sort(sentences);
    CHECK(sentences == all_of(data));
  }
  std::int64_t previous = 0;
  for (const auto& indices : BatchPlan::sequential(lengths, 300).micro_batches()) {
    CHECK(batch_size(data, indices).target_length >= previous);
    previous = batch_size(data, indices).target_length;
  }
}

TEST_CASE("impossible limits are refused, an empty data set has no updates") {
  const TemporaryFolder folder;
  test::write_dataset(folder.path() / "empty.bin", {}, {}, 10, 10);
  const Dataset data(folder.path() / "empty.bin");
  CHECK(BatchPlan(lengths_of(data), {}, 1, 0).size() == 0);
  CHECK(BatchPlan(lengths_of(data), {}, 1, 0).padding_share() == 0);
  CHECK(BatchPlan::sequential(lengths_of(data), 100).size() == 0);
  CHECK_THROWS_AS(BatchPlan(lengths_of(data), {0, 1, 1}, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(BatchPlan(lengths_of(data), {1, 1, 0}, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(BatchPlan(lengths_of(data), {1, 1, 1, -1}, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(BatchPlan(lengths_of(data), {1, 1, 1}, 1, -1), std::invalid_argument);
  CHECK_THROWS_AS(BatchPlan::sequential(lengths_of(data), 0), std::invalid_argument);
}

TEST_CASE("updates of so many sentences, each sentence once, however they are cut") {
  const TemporaryFolder folder;
  const auto data = random_data(folder, 1001);
  const auto lengths = lengths_of(data);
  for (const std::int64_t bucket_tokens : {4096, 300}) {
    const BatchPlan plan(lengths, {.bucket_tokens = bucket_tokens, .sentences = 64}, 3, 5);
    CHECK(plan.size() == 16);  // 15 of 64, and 41
    auto all = in_order(updates_of(plan));
    std::ranges::sort(all);
    CHECK(all == all_of(data));
    std::multiset<std::size_t> sizes;
    for (const auto& update : updates_of(plan)) {
      std::size_t size = 0;
      for (const auto& batch : update) size += batch.size();
      sizes.insert(size);
    }
    CHECK(sizes.count(64) == 15);
    CHECK(sizes.count(41) == 1);
  }
  const BatchPlan tokens(lengths, {.source_tokens = 200, .sentences = 64}, 3, 5);
  CHECK(tokens.size() > 16);  // this limit is reached first
  CHECK_THROWS_AS(BatchPlan(lengths, {.sentences = -1}, 3, 5), std::invalid_argument);
}

}  // namespace
}  // namespace transformer::data
