// The parts of transformer-bench that can be wrong without being slow.
#include "apps/bench/prepare/prepare.h"

#include "tests/catch.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/data/tokenizer_training.h"

namespace transformer::bench {
namespace {

TEST_CASE("encoding is measured on texts that can be read") {
  const test::TemporaryFolder folder;
  const std::vector<std::string> lines(3, "the cat sat on the mat");
  const auto model = folder.path() / "model";
  test::train_tokenizer({lines}, {.vocabulary = 25}, model);
  const auto text = folder.write("text", "the cat\nsat on the mat\n\n");
  for (const int threads : {1, 3}) {
    const auto speed = bench_prepare(text, model, threads);
    CHECK(speed.sentences_per_second > 0);
    CHECK(speed.megabytes_per_second / speed.sentences_per_second == Approx(24e-6 / 3));
    CHECK(speed.peak_megabytes > 1);
  }
  CHECK_THROWS_AS(bench_prepare(folder.path() / "missing", model, 1), InputError);
  CHECK_THROWS_AS(bench_prepare(text, text, 1), InputError);
}

}  // namespace
}  // namespace transformer::bench
