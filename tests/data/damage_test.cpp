// Readers of binary files, fed with damaged ones.
#include "tests/damage.h"

#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/data/write_dataset.h"
#include "transformer/data/dataset_writer.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/tokenizer_training.h"

namespace transformer::data {
namespace {

TEST_CASE("a damaged data set is noticed") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "train.bin";
  Sentences sentences;
  for (std::int32_t i = 0; i < 50; ++i)
    sentences.add(std::vector<std::int32_t>(static_cast<std::size_t>(i % 7), i));
  test::write_dataset(file, sentences, sentences, 50, 50);
  const auto use = [&] { return Dataset(file).size() == -1; };
  CHECK(test::damage_noticed(file, use) == 200);
  CHECK(Dataset(file).size() == 50);
}

TEST_CASE("a damaged tokenizer that no checksum protects is refused or can be used") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "tokenizer.model";
  const auto lines = test::english_lines();
  DataOptions options;
  options.vocabulary = 100;
  test::train_tokenizer({lines}, options, file);
  const auto use = [&] {
    const Tokenizer tokenizer(file);
    for (const auto& line : lines) tokenizer.decode(tokenizer.encode(line));
    return true;
  };
  CHECK(test::damage_noticed(file, use) > 50);
}

}  // namespace
}  // namespace transformer::data
