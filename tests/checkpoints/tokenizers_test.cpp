#include "transformer/checkpoints/tokenizers.h"

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "transformer/base/error.h"
#include "transformer/data/prepared.h"

namespace transformer::checkpoints {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a shared tokenizer is one object and one file") {
  const test::TemporaryFolder folder;
  const auto shared = load_tokenizers(test::prepare_reverse_task(folder, 40, 4).prepared);
  CHECK(shared.source == shared.target);
  CHECK(shared.sizes() == models::VocabularySizes{25, 25});
  const auto copy = folder.path() / "copy";
  fs::create_directory(copy);
  copy_tokenizers(shared, copy);
  CHECK(test::content_of(copy / "tokenizer.model") == test::content_of(shared.source->path()));
  CHECK_FALSE(fs::exists(copy / "tokenizer.source.model"));
  CHECK(load_tokenizers(copy).sizes() == shared.sizes());
}

TEST_CASE("the tokenizers of opened data are not loaded again") {
  const test::TemporaryFolder folder;
  auto options = test::prepare_reverse_task(folder, 40, 4);
  const auto shared = tokenizers_of(data::Prepared(options));
  CHECK(shared.source == shared.target);
  CHECK(shared.source->path() == load_tokenizers(options.prepared).source->path());

  options.shared_vocabulary = false;
  data::prepare(options, {.overwrite = true, .threads = 1, .quiet = true});
  const auto separate = tokenizers_of(data::Prepared(options));
  CHECK(separate.source->path().filename() == "tokenizer.source.model");
  CHECK(separate.target->path().filename() == "tokenizer.target.model");
}

TEST_CASE("separate tokenizers are two files") {
  const test::TemporaryFolder folder;
  const auto model = load_tokenizers(test::prepare_reverse_task(folder, 40, 4).prepared).source->path();
  const auto pair = folder.path() / "pair";
  fs::create_directory(pair);
  fs::copy_file(model, pair / "tokenizer.source.model");
  CHECK_THROWS_AS(load_tokenizers(pair), InputError);
  CHECK_THROWS_WITH(load_tokenizers(pair), ContainsSubstring("tokenizer.target.model"));
  fs::copy_file(model, pair / "tokenizer.target.model");
  const auto separate = load_tokenizers(pair);
  CHECK(separate.source != separate.target);
  const auto copy = folder.path() / "copy";
  fs::create_directory(copy);
  copy_tokenizers(separate, copy);
  CHECK_FALSE(fs::exists(copy / "tokenizer.model"));
  CHECK(load_tokenizers(copy).target->path() == copy / "tokenizer.target.model");
}

TEST_CASE("a folder without tokenizers is named") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(load_tokenizers(folder.path()), InputError);
  CHECK_THROWS_WITH(load_tokenizers(folder.path()),
                    ContainsSubstring(folder.path().string()) && ContainsSubstring("tokenizer.model"));
}

}  // namespace
}  // namespace transformer::checkpoints
