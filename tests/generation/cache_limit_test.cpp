#include "transformer/generation/cache_limit.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/free_memory.h"

namespace transformer::generation {
namespace {

// GPT-2's smallest: 12 layers, 12 heads of 64 for keys and for values, 4 bytes each.
const models::ModelOptions kModel{.decoder_layers = 12, .heads = 12, .d_k = 64, .d_v = 64};
constexpr double kToken = 12 * 12 * (64 + 64) * 4;

TEST_CASE("keys and values are reckoned, by the heads that have them") {
  CHECK(cache_bytes(kModel, 1000) == 1000 * kToken);
  auto grouped = kModel;
  grouped.kv_heads = 3;
  CHECK(cache_bytes(grouped, 1000) == 250 * kToken);
}

TEST_CASE("a batch is as large as memory holds, and a text that does not fit is refused") {
  const auto batch = [](const GenerationOptions& options, std::int64_t at_once, double free) {
    return within_memory(options, kModel, /*prompt=*/100, at_once, free).batch;
  };
  const GenerationOptions options{.max_tokens = 900, .batch = 32};
  const double text = 1000 * kToken;
  CHECK(batch(options, 1, 32 * text) == 32);
  CHECK(batch(options, 1, 1000 * text) == 32);
  CHECK(batch(options, 1, 31.9 * text) == 31);
  CHECK(batch(options, 8, 32 * text) == 4);
  CHECK(batch(options, 1, 0) == 32);  // unknown
  CHECK_THROWS_AS(batch(options, 1, 0.99 * text), InputError);
  CHECK(batch({.max_tokens = 1'000'000, .batch = 32, .window = 499}, 1, 8 * text) == 16);
}

TEST_CASE("free memory is what the system says is available") {
  const test::TemporaryFolder folder;
  const auto file =
      folder.write("meminfo", "MemTotal: 24 kB\nMemFree: 3 kB\nMemAvailable: 7 kB\nHugePages_Total: 0\n");
  CHECK(free_memory_of_machine(file) == 7 * 1024);
  CHECK(free_memory_of_machine(folder.path() / "none") == 0);
  CHECK(free_memory_of_machine() > 1e6);
}

}  // namespace
}  // namespace transformer::generation
