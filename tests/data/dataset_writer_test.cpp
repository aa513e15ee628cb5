#include "transformer/data/dataset_writer.h"

#include <cstring>
#include <random>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST_CASE("what is larger than the memory for it is written like what is not") {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  Sentences source;
  Sentences target;
  DatasetWriter writer(folder.path() / "large.bin", 1000, 2000);
  for (int i = 0; i < 40'000; ++i) {  // megabytes of ids, and some hundred thousand bytes of offsets
    std::vector<std::int32_t> left(random() % 40);
    std::vector<std::int32_t> right(random() % 40);
    for (auto& id : left) id = static_cast<std::int32_t>(random() % 1000);
    for (auto& id : right) id = static_cast<std::int32_t>(random() % 2000);
    source.add(left);
    target.add(right);
    writer.add(left, right);
  }
  REQUIRE(source.ids.size() * sizeof(std::int32_t) > 2 * Spool::kPart);
  CHECK(entries(folder.path()) == 0);  // what is kept on the disk has no name
  writer.commit();
  CHECK(entries(folder.path()) == 1);

  // The same file from its description.
  std::string expected(64, '\0');
  const auto append = [&](const auto& numbers) {
    expected.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0]));
    expected.resize((expected.size() + 7) / 8 * 8);
  };
  append(source.offsets);
  append(target.offsets);
  append(source.ids);
  append(target.ids);
  const std::array<std::int64_t, 6> header = {
      1, source.size(), std::ssize(source.ids), std::ssize(target.ids), 1000, 2000};
  std::memcpy(expected.data(), "TRPAIRS\n", 8);
  std::memcpy(expected.data() + 8, header.data(), sizeof header);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < expected.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, expected.data() + i, 8);
    if (i != 56) hash = (hash ^ word) * 0x100000001b3ULL;
  }
  std::memcpy(expected.data() + 56, &hash, 8);
  const auto equal = test::content_of(folder.path() / "large.bin") == expected;  // not printed
  CHECK(equal);
  CHECK(Dataset(folder.path() / "large.bin").size() == 40'000);
}

TEST_CASE("a data set that is not finished leaves nothing") {
  const TemporaryFolder folder;
  {
    DatasetWriter writer(folder.path() / "data.bin", 10, 10);
    const std::vector<std::int32_t> sentence(1'000'000, 4);
    writer.add(sentence, sentence);
    CHECK_THROWS_AS(writer.add(std::vector<std::int32_t>{10}, sentence), std::invalid_argument);
  }
  CHECK(entries(folder.path()) == 0);
  CHECK_THROWS_AS(DatasetWriter(folder.path() / "data.bin", 0, 10), std::invalid_argument);
}

TEST_CASE("without a folder there is no place for what does not fit into memory") {
  const TemporaryFolder folder;
  DatasetWriter writer(folder.path() / "no" / "data.bin", 10, 10);
  const std::vector<std::int32_t> sentence(1'000'000, 4);
  CHECK_THROWS_WITH(writer.add(sentence, sentence), ContainsSubstring("data.bin"));
}

}  // namespace
}  // namespace transformer::data
