// A data set file, and the batches that are made of it. The input is tried as it is and, because no fuzzer
// finds a checksum by chance, sealed with the right one.
#include <algorithm>
#include <cstring>

#include "tests/data/write_dataset.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/target.h"
#include "tests/temporary_folder.h"
#include "transformer/data/batching.h"
#include "transformer/data/dataset_writer.h"

namespace transformer::fuzz {
namespace {

using namespace data;

constexpr std::size_t header_bytes = 64;

/// Puts the checksum into its place: FNV-1a over words of 64 bits.
void seal(std::string& file) {
  if (file.size() < header_bytes) return;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i + 8 <= file.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, file.data() + i, 8);
    if (i != header_bytes - 8) hash = (hash ^ word) * 0x100000001b3ULL;
  }
  std::memcpy(file.data() + header_bytes - 8, &hash, 8);
}

std::string file_of(const Sentences& source, const Sentences& target, std::int64_t vocabulary) {
  static const test::TemporaryFolder folder;
  const auto file = folder.path() / "data.bin";
  test::write_dataset(file, source, target, vocabulary, vocabulary);
  return test::content_of(file);
}

std::string file_of_one_side(const Sentences& sentences, std::int64_t vocabulary) {
  static const test::TemporaryFolder folder;
  const auto file = folder.path() / "data.bin";
  DatasetWriter writer(file, vocabulary);
  for (std::int64_t i = 0; i < sentences.size(); ++i) writer.add(sentences[i]);
  writer.commit();
  return test::content_of(file);
}

/// Every id is within the vocabulary, and all sentences together hold as many as the file says.
void check_sentences(const Dataset& data) {
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  const auto within = [](std::span<const std::int32_t> ids, std::int64_t vocabulary) {
    return std::ranges::all_of(ids, [&](std::int32_t id) { return id >= 0 && id < vocabulary; });
  };
  for (std::int64_t i = 0; i < data.size(); ++i) {
    if (data.has_source()) {
      require(within(data.source(i), data.source_vocabulary()), "source ids are within the vocabulary");
      source_tokens += std::ssize(data.source(i));
    }
    require(within(data.target(i), data.target_vocabulary()), "target ids are within the vocabulary");
    target_tokens += std::ssize(data.target(i));
  }
  require(source_tokens == data.source_tokens() && target_tokens == data.target_tokens(), "tokens add up");
  require(data.has_source() == (data.source_vocabulary() > 0), "a side has a vocabulary");
  require(data.target_vocabulary() > 0, "there is a vocabulary");
}

/// Batches by limits that the data decide; each sentence occurs once.
void check_batches(const Dataset& data) {
  const std::int64_t some = data.target_tokens() / 3 + 1;
  const BatchPlan plan(lengths_of(data),
                       {.source_tokens = some, .target_tokens = 2 * some, .micro_tokens = some / 2 + 1}, 1,
                       0);
  std::vector<std::int64_t> seen;
  for (std::int64_t i = 0; i < plan.size(); ++i) {
    for (const auto& indices : plan.update(i)) {
      const Batch batch = make_batch(data, indices);
      require(std::ssize(batch.source) == batch.source_tokens, "a batch holds the sources' tokens");
      require(batch.target_offsets.back() == std::ssize(batch.target_input),
              "offsets end where the batch does");
      seen.insert(seen.end(), indices.begin(), indices.end());
    }
  }
  std::ranges::sort(seen);
  require(std::ssize(seen) == data.size(), "an epoch holds as many sentences as the data");
  for (std::int64_t i = 0; i < data.size(); ++i)
    require(seen[static_cast<std::size_t>(i)] == i, "an epoch holds each sentence");
  std::int64_t sequential = 0;
  for (const auto& batch : BatchPlan::sequential(lengths_of(data), some).micro_batches())
    sequential += std::ssize(batch);
  require(sequential == data.size(), "sequential batches hold each sentence");
}

void read(std::string_view bytes) {
  static const ScratchFile file;
  const auto data = accepted([&] { return Dataset(file.write(bytes)); });
  if (!data) return;
  check_sentences(*data);
  check_batches(*data);
}

Sentences sentences(const std::vector<std::vector<std::int32_t>>& all) {
  Sentences result;
  for (const auto& ids : all) result.add(ids);
  return result;
}

}  // namespace

std::vector<std::string> seeds() {
  Sentences long_one;
  for (std::int32_t length = 0; length < 40; ++length)
    long_one.add(std::vector<std::int32_t>(static_cast<std::size_t>(length), length));
  return {file_of({}, {}, 5), file_of(sentences({{4, 5, 6}, {}, {7}}), sentences({{5}, {4, 4}, {}}), 8),
          file_of(sentences({{1}, {2}}), sentences({{3, 3}, {4, 4}}), 1000), file_of(long_one, long_one, 50),
          file_of_one_side(long_one, 50)};
}

std::vector<std::string> words() {
  std::vector<std::string> all = {"TRPAIRS\n"};
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 31U,
                                     std::uint64_t{1} << 40U, std::uint64_t{1} << 63U, UINT64_MAX}) {
    all.emplace_back(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return all;
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer::fuzz;
  std::string bytes(text_of(data, size));
  read(bytes);
  seal(bytes);
  read(bytes);
  return 0;
}
