#include "transformer/data/dataset_writer.h"

#include <cstring>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/data/write_dataset.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;
using Ids = std::vector<std::int32_t>;

Sentences sentences(const std::vector<Ids>& all) {
  Sentences result;
  for (const auto& ids : all) result.add(ids);
  return result;
}

const std::vector<Ids> kSource = {{4, 5, 6}, {}, {7}, {9, 9, 9, 9, 8}};
const std::vector<Ids> kTarget = {{5}, {4, 4}, {}, {19, 18}};

std::filesystem::path write_sample(const TemporaryFolder& folder) {
  const auto file = folder.path() / "sample.bin";
  test::write_dataset(file, sentences(kSource), sentences(kTarget), 10, 20);
  return file;
}

Ids copy(std::span<const std::int32_t> ids) {
  return {ids.begin(), ids.end()};
}

TEST_CASE("a data set gives back what was written") {
  const TemporaryFolder folder;
  Dataset opened(write_sample(folder));
  const Dataset data = std::move(opened);
  REQUIRE(data.size() == 4);
  CHECK(data.source_vocabulary() == 10);
  CHECK(data.target_vocabulary() == 20);
  CHECK(data.source_tokens() == 9);
  CHECK(data.target_tokens() == 5);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(copy(data.source(static_cast<std::int64_t>(i))) == kSource[i]);
    CHECK(copy(data.target(static_cast<std::int64_t>(i))) == kTarget[i]);
  }
  CHECK_THROWS_AS(data.source(4), std::out_of_range);
  CHECK_THROWS_AS(data.target(-1), std::out_of_range);
}

TEST_CASE("a data set of one side has targets alone") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "one.bin";
  DatasetWriter writer(file, 20);
  for (const auto& ids : kTarget) writer.add(ids);
  CHECK_THROWS_AS(writer.add(Ids{1}, Ids{2}), std::invalid_argument);
  CHECK_THROWS_AS(writer.add(Ids{20}), std::invalid_argument);
  writer.commit();
  const Dataset data(file);
  REQUIRE(data.size() == 4);
  CHECK_FALSE(data.has_source());
  CHECK(data.source_vocabulary() == 0);
  CHECK(data.source_tokens() == 0);
  CHECK(data.target_tokens() == 5);
  for (std::size_t i = 0; i < 4; ++i) CHECK(copy(data.target(static_cast<std::int64_t>(i))) == kTarget[i]);
  CHECK_THROWS_AS(data.source(0), std::out_of_range);
  CHECK(Dataset(write_sample(folder)).has_source());
  DatasetWriter two(folder.path() / "two.bin", 10, 20);
  CHECK_THROWS_AS(two.add(Ids{1}), std::invalid_argument);
}

TEST_CASE("an empty data set is one") {
  const TemporaryFolder folder;
  test::write_dataset(folder.path() / "empty.bin", {}, {}, 10, 10);
  CHECK(Dataset(folder.path() / "empty.bin").size() == 0);
}

TEST_CASE("what does not fit together is not written") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "bad.bin";
  CHECK_THROWS_AS(test::write_dataset(file, sentences({{1}}), sentences({{1}, {2}}), 10, 10),
                  std::invalid_argument);
  CHECK_THROWS_AS(test::write_dataset(file, sentences({{10}}), sentences({{1}}), 10, 10),
                  std::invalid_argument);
  CHECK_THROWS_AS(test::write_dataset(file, sentences({{1}}), sentences({{-1}}), 10, 10),
                  std::invalid_argument);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("any flipped bit is noticed") {
  const TemporaryFolder folder;
  DatasetWriter writer(folder.path() / "one.bin", 20);
  for (const auto& ids : kTarget) writer.add(ids);
  writer.commit();
  const bool two_sides = GENERATE(true, false);
  const auto whole = test::content_of(two_sides ? write_sample(folder) : folder.path() / "one.bin");
  REQUIRE(whole.size() % 8 == 0);
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    auto damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << byte % 8));
    const auto file = folder.write("damaged.bin", damaged);
    CAPTURE(byte);
    REQUIRE_THROWS_AS(Dataset(file), InputError);
  }
}

TEST_CASE("any missing or additional byte is noticed") {
  const TemporaryFolder folder;
  const auto whole = test::content_of(write_sample(folder));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    REQUIRE_THROWS_AS(Dataset(folder.write("cut.bin", whole.substr(0, size))), InputError);
  }
  CHECK_THROWS_WITH(Dataset(folder.write("cut.bin", whole.substr(0, 100))), ContainsSubstring("cut.bin"));
  CHECK_THROWS_AS(Dataset(folder.write("longer.bin", whole + std::string(8, '\0'))), InputError);
  CHECK_THROWS_AS(Dataset(folder.path() / "missing.bin"), InputError);
  CHECK_THROWS_AS(Dataset(folder.path()), InputError);
}

TEST_CASE("a header that promises petabytes is refused without reserving them") {
  const TemporaryFolder folder;
  const auto whole = test::content_of(write_sample(folder));
  for (const std::size_t field : {16, 24, 32}) {  // pairs, source tokens, target tokens
    for (const std::int64_t count :
         {std::int64_t{1} << 50, std::int64_t{1} << 62, std::int64_t{-1}, INT64_MAX}) {
      auto forged = whole;
      std::memcpy(forged.data() + field, &count, sizeof count);
      CHECK_THROWS_AS(Dataset(folder.write("forged.bin", forged)), InputError);
    }
  }
}

/// The file's own checksum, computed independently of the library: FNV-1a over 64-bit words, without its
/// field.
void seal(std::string& file) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < file.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, file.data() + i, 8);
    if (i != 56) hash = (hash ^ word) * 0x100000001b3ULL;
  }
  std::memcpy(file.data() + 56, &hash, 8);
}

TEST_CASE("a sealed file with wild offsets or ids is refused") {
  const TemporaryFolder folder;
  const auto whole = test::content_of(write_sample(folder));
  auto same = whole;
  seal(same);
  REQUIRE(same == whole);
  const auto forge = [&](std::size_t position, auto value) {
    auto forged = whole;
    std::memcpy(forged.data() + position, &value, sizeof value);
    seal(forged);
    return folder.write("forged.bin", forged);
  };
  CHECK_THROWS_WITH(Dataset(forge(64, std::int64_t{1})), ContainsSubstring("source offsets"));
  CHECK_THROWS_WITH(Dataset(forge(72, std::int64_t{1} << 40)), ContainsSubstring("source offsets"));
  CHECK_THROWS_WITH(Dataset(forge(72, std::int64_t{-8})), ContainsSubstring("source offsets"));
  CHECK_THROWS_WITH(Dataset(forge(104 + 32, std::int64_t{6})), ContainsSubstring("target offsets"));
  CHECK_THROWS_WITH(Dataset(forge(144, std::int32_t{10})), ContainsSubstring("source ids"));
  CHECK_THROWS_WITH(Dataset(forge(144 + 40, std::int32_t{-1})), ContainsSubstring("target ids"));
  CHECK_THROWS_WITH(Dataset(forge(40, std::int64_t{9})), ContainsSubstring("source ids"));  // vocabulary
  CHECK_THROWS_WITH(Dataset(forge(8, std::int64_t{3})), ContainsSubstring("version"));
  CHECK_THROWS_AS(Dataset(forge(8, std::int64_t{2})), InputError);  // of one side, with the bytes of two
  // A vocabulary of 2^33 would have a place for -1 as an unsigned number.
  CHECK_THROWS_WITH(Dataset(forge(40, std::int64_t{1} << 33)), ContainsSubstring("source ids"));
}

TEST_CASE("a vocabulary is checked even where there are no ids") {
  const TemporaryFolder folder;
  test::write_dataset(folder.path() / "empty.bin", {}, {}, 10, 10);
  auto forged = test::content_of(folder.path() / "empty.bin");
  for (const std::int64_t vocabulary : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31}) {
    std::memcpy(forged.data() + 48, &vocabulary, 8);
    seal(forged);
    CHECK_THROWS_WITH(Dataset(folder.write("forged.bin", forged)), ContainsSubstring("target ids"));
  }
}

}  // namespace
}  // namespace transformer::data
