#include "apps/bench/prepare/prepare.h"

#include <string>

#include "transformer/base/peak_memory.h"
#include "transformer/base/stopwatch.h"
#include "transformer/data/encoding.h"
#include "transformer/data/in_order.h"
#include "transformer/data/word_encoder.h"

namespace transformer::bench {
namespace {

struct Block {
  data::Lines lines;
  std::size_t ids = 0;
};

}  // namespace

PrepareSpeed bench_prepare(const data::SideFile& text, const std::filesystem::path& tokenizer, int threads) {
  constexpr std::size_t block_bytes = std::size_t{1} << 19U;
  const data::Tokenizer model(tokenizer);
  data::TextReader reader(text);
  const auto read = [&](Block& block) {
    std::string line;
    while (block.lines.bytes() < block_bytes && reader.next(line)) block.lines.add(line);
    return block.lines.size() > 0;
  };
  const auto make_work = [&] {
    return [encoder = data::WordEncoder(model)](Block& block) mutable {
      for (std::size_t i = 0; i < block.lines.size(); ++i) block.ids += encoder.encode(block.lines[i]).size();
    };
  };
  std::size_t bytes = 0;
  std::size_t sentences = 0;
  std::size_t ids = 0;  // which no compiler can leave out
  const auto write = [&](const Block& block) {
    bytes += block.lines.bytes() + block.lines.size();
    sentences += block.lines.size();
    ids += block.ids;
  };
  const Stopwatch watch;
  data::InOrder<Block>(read, make_work, write).run(threads, [] {});
  const auto seconds = watch.seconds();
  return {static_cast<double>(bytes) / 1e6 / seconds, static_cast<double>(sentences) / seconds,
          peak_memory() / 1e6};
}

}  // namespace transformer::bench
