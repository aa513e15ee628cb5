#include "transformer/data/drawn_pairs.h"

#include "tests/data/small_tokenizer.h"
#include "tests/data/write_dataset.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;

struct Drawn {
  TemporaryFolder folder;
  Tokenizer tokenizer = test::train(folder, test::small());
  std::filesystem::path file = written();
  Dataset data{file};

  std::shared_ptr<const PairDropout> dropout(double probability) const {
    return std::make_shared<PairDropout>(
        PairDropout{BpeDropout(tokenizer, probability), BpeDropout(tokenizer, probability)});
  }

  std::vector<std::int64_t> all() const {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = data.size(); i > 0; --i) numbers.push_back(i - 1);
    return numbers;
  }

 private:
  std::filesystem::path written() const {
    Sentences source, target;
    const auto english = test::english_lines(), german = test::german_lines();
    for (std::size_t i = 0; i < english.size(); ++i) {
      source.add(tokenizer.encode(english[i]));
      target.add(tokenizer.encode(i % 2 == 0 ? english[i] : german[i]));  // some sides are alike
    }
    const auto to = folder.path() / "pairs.bin";
    test::write_dataset(to, source, target, tokenizer.size(), tokenizer.size());
    return to;
  }
};

void check_equal(const Batch& a, const Batch& b) {
  CHECK(a.source == b.source);
  CHECK(a.target_input == b.target_input);
  CHECK(a.target_output == b.target_output);
  CHECK(a.source_offsets == b.source_offsets);
  CHECK(a.target_offsets == b.target_offsets);
  CHECK(a.indices == b.indices);
  CHECK(a.rows == b.rows);
  CHECK(a.source_length == b.source_length);
  CHECK(a.target_length == b.target_length);
  CHECK(a.source_tokens == b.source_tokens);
  CHECK(a.target_tokens == b.target_tokens);
}

/// The ids of one row of one side, without its end.
std::vector<std::int32_t> row(const std::vector<std::int64_t>& ids, const std::vector<std::int64_t>& offsets,
                              std::size_t i) {
  return {ids.begin() + offsets[i], ids.begin() + offsets[i + 1] - 1};
}

TEST_CASE("without dropout, drawn pairs are the data set's") {
  const Drawn given;
  const DrawnPairs pairs(given.data, given.dropout(0), 1);
  check_equal(pairs.make_batch(given.all()), make_batch(given.data, given.all()));
  CHECK(pairs.size_of(given.all()).source_tokens == batch_size(given.data, given.all()).source_tokens);
}

TEST_CASE("each pair spells what it did, in other pieces, and its lengths are known before it is drawn") {
  const Drawn given;
  const DrawnPairs pairs(given.data, given.dropout(0.3), 1);
  const auto all = given.all();
  const auto batch = pairs.make_batch(all), plain = make_batch(given.data, all);
  const auto size = pairs.size_of(all);
  CHECK(size.rows == batch.rows);
  CHECK(size.source_length == batch.source_length);
  CHECK(size.target_tokens == std::ssize(batch.target_output));
  int other = 0, unlike = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto source = row(batch.source, batch.source_offsets, i),
               target = row(batch.target_output, batch.target_offsets, i);
    const auto length = pairs.length(all[i]);
    CHECK(length.source == std::ssize(source) + 1);
    CHECK(length.target == std::ssize(target) + 1);
    const auto plain_source = row(plain.source, plain.source_offsets, i),
               plain_target = row(plain.target_output, plain.target_offsets, i);
    CHECK(given.tokenizer.decode(source) == given.tokenizer.decode(plain_source));
    CHECK(given.tokenizer.decode(target) == given.tokenizer.decode(plain_target));
    other += source != plain_source;
    unlike += plain_source == plain_target && source != target;
  }
  CHECK(other > 70);   // of 80
  CHECK(unlike > 30);  // of 40: the sides of a pair are drawn apart
}

TEST_CASE("a pair is the same in any batch of an epoch, and another one in the next") {
  const Drawn given;
  const auto dropout = given.dropout(0.3);
  const DrawnPairs first(given.data, dropout, 1), again(given.data, dropout, 1),
      second(given.data, dropout, 2);
  const auto all = given.all();
  check_equal(first.make_batch(all), again.make_batch(all));
  CHECK(first.make_batch(all).source != second.make_batch(all).source);
  const auto alone = first.make_batch(std::vector<std::int64_t>{all[5]}), together = first.make_batch(all);
  CHECK(alone.source == std::vector<std::int64_t>(together.source.begin() + together.source_offsets[5],
                                                  together.source.begin() + together.source_offsets[6]));
}

TEST_CASE("a sentence that dropout would make too long for the model stays as it is") {
  const Drawn given;
  const auto longest = make_batch(given.data, given.all()).source_length;
  const DrawnPairs free(given.data, given.dropout(0.5), 1), held(given.data, given.dropout(0.5), 1, longest);
  const auto all = given.all();
  REQUIRE(free.size_of(all).source_length > longest);
  CHECK(held.size_of(all).source_length == longest);
  int kept = 0;
  for (const auto i : all) {
    const auto drawn = free.length(i).source;
    const auto expected = drawn > longest ? std::ssize(given.data.source(i)) + 1 : drawn;
    CHECK(held.length(i).source == expected);
    kept += drawn > longest;
  }
  CHECK(kept > 0);
  CHECK(held.make_batch(all).source_length == longest);
}

}  // namespace
}  // namespace transformer::data
