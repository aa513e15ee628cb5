#include "transformer/data/training_text.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/data/tokenizer_training.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;
using Texts = std::vector<std::string>;

Texts all_of(TrainingText text) {
  Texts lines;
  for (std::string line; text.next(line);) lines.push_back(line);
  return lines;
}

TrainingSize size_of(const Texts& lines) {
  TrainingSize size;
  for (const auto& line : lines) size.add(line);
  return size;
}

TEST_CASE("of a small corpus each line shapes the vocabulary, as if it lay in memory") {
  const TemporaryFolder folder;
  const auto english = test::english_lines();
  const auto german = test::german_lines();
  const std::vector<SideFile> files = {folder.write("en", test::join_lines(english)),
                                       folder.write("de", test::join_lines(german))};
  auto size = size_of(english);
  size += size_of(german);
  CHECK(size.lines == 160);
  auto both = english;
  both.insert(both.end(), german.begin(), german.end());
  CHECK(all_of(TrainingText(files, size)) == both);
  CHECK(all_of(TrainingText(files, size, size.bytes)) == both);
  CHECK(TrainingText(files, size).share() == 1);

  DataOptions options;
  options.vocabulary = 110;
  test::train_tokenizer({english, german}, options, folder.path() / "memory");
  TrainingText text(files, size);
  train_tokenizer_on([&](std::string& line) { return text.next(line); }, options, folder.path() / "files");
  CHECK(test::content_of(folder.path() / "files") == test::content_of(folder.path() / "memory"));
}

TEST_CASE("of a large corpus a bounded sample does, the same each time") {
  const TemporaryFolder folder;
  Texts lines;
  for (int i = 0; i < 20'000; ++i) lines.push_back("Line number " + std::to_string(100'000 + i) + ".");
  const auto size = size_of(lines);
  const std::string endless(kLongestTrainingLine + 1, 'x');
  lines.insert(lines.begin() + 10'000, endless);
  CHECK(size_of(lines).lines == 20'000);  // the long one does not count
  CHECK(size_of(lines).bytes == size.bytes);
  const auto file = folder.write("text", test::join_lines(lines));

  const auto sample = all_of(TrainingText({file}, size, size.bytes / 4));
  CHECK(TrainingText({file}, size, size.bytes / 4).share() == Approx(0.25));
  CHECK(std::abs(size_of(sample).bytes - size.bytes / 4) < size.bytes / 100);
  CHECK(std::ranges::is_sorted(
      sample, {}, [&](const auto& line) { return std::ranges::find(lines, line) - lines.begin(); }));
  CHECK(std::ranges::count(sample, endless) == 1);  // comes in any case, to be counted
  CHECK(all_of(TrainingText({file}, size, size.bytes / 4)) == sample);
  // From all over the text: each quarter gives a quarter.
  const auto before_middle = std::ranges::find(sample, endless) - sample.begin();
  CHECK(std::abs(2 * before_middle - std::ssize(sample)) < 400);
}

}  // namespace
}  // namespace transformer::data
