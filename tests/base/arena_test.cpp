#include "transformer/base/arena.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "tests/catch.h"

namespace transformer {
namespace {

constexpr std::size_t kMega = 1 << 20;

/// A block whose bytes all have one value of its own.
struct Block {
  char* at = nullptr;
  std::size_t asked = 0, size = 0;
  char value = 0;

  Block(Arena& arena, std::size_t bytes, char v) : asked(bytes), value(v) {
    std::tie(at, size) = arena.take(bytes);
    REQUIRE(at != nullptr);
    std::memset(at, value, size);
  }

  bool is_whole() const {
    return std::all_of(at, at + size, [this](char byte) { return byte == value; });
  }
};

TEST_CASE("blocks of an arena are aligned, large enough and nobody else's") {
  Arena arena(64 * kMega);
  std::mt19937 random(1);
  std::vector<Block> blocks;
  std::size_t in_use = 0;
  for (int i = 0; i < 3000; ++i) {
    if (blocks.empty() || random() % 100 < 52) {
      blocks.emplace_back(arena, 1 + random() % (random() % 2 == 0 ? 5000 : 300000), static_cast<char>(i));
      const auto& block = blocks.back();
      CHECK(reinterpret_cast<std::uintptr_t>(block.at) % Arena::kAlignment == 0);
      CHECK(block.size >= block.asked);
      CHECK(arena.contains(block.at));
      CHECK(arena.contains(block.at + block.size - 1));
      in_use += block.size;
    } else {
      const auto i_block = blocks.begin() + static_cast<std::ptrdiff_t>(random() % blocks.size());
      CHECK(i_block->is_whole());
      arena.give_back(i_block->at, i_block->size);
      in_use -= i_block->size;
      blocks.erase(i_block);
    }
    CHECK(arena.in_use() == in_use);
    CHECK(in_use + arena.idle() <= arena.most_in_use() + arena.most_in_use() / 4);
  }
  for (const auto& block : blocks) {
    CHECK(block.is_whole());
    arena.give_back(block.at, block.size);
  }
  CHECK(arena.in_use() == 0);
  CHECK(arena.take(64 * kMega).first != nullptr);  // all is one hole again
}

TEST_CASE("a block comes from the smallest hole that holds it") {
  Arena arena(64 * kMega);
  std::vector<Block> blocks;
  for (const std::size_t kilobytes : {300, 10, 100, 10, 200, 10})
    blocks.emplace_back(arena, kilobytes << 10, 'x');
  for (const auto i : {0, 2, 4}) arena.give_back(blocks[i].at, blocks[i].size);
  CHECK(arena.take(90 << 10).first == blocks[2].at);
  CHECK(arena.take(110 << 10).first == blocks[4].at);
  CHECK(arena.take(90 << 10).first == blocks[4].at + (110 << 10));  // what is left of it is a hole, too
  CHECK(arena.take(250 << 10).first == blocks[0].at);
}

TEST_CASE("where tensors go in the reverse order of their coming, no memory lies idle between them") {
  Arena arena(512 * kMega);
  std::mt19937 random(2);
  std::size_t held = 0, most = 0;
  for (int step = 0; step < 50; ++step) {
    const std::size_t tokens = 2000 + random() % 500;  // each batch has another size
    std::vector<Block> saved;
    for (int layer = 0; layer < 20; ++layer) {
      const Block passing(arena, tokens * 256, 'p');
      saved.emplace_back(arena, tokens * 1024, 's');
      arena.give_back(passing.at, passing.size);
    }
    while (!saved.empty()) {
      const Block gradient(arena, tokens * 512, 'g');
      arena.give_back(saved.back().at, saved.back().size);
      saved.pop_back();
      arena.give_back(gradient.at, gradient.size);
    }
    held = std::max(held, arena.in_use() + arena.idle());
    most = arena.most_in_use();
  }
  CHECK(held < most + most / 20);
}

TEST_CASE("what lies idle goes back to the system where it would be too much") {
  Arena arena(512 * kMega);
  std::vector<Block> blocks;
  for (int i = 0; i < 16; ++i) blocks.emplace_back(arena, kMega, static_cast<char>('a' + i));
  for (std::size_t i = 0; i < 16; i += 2) arena.give_back(blocks[i].at, blocks[i].size);
  CHECK(arena.idle() == 8 * kMega);
  const Block first(arena, 4 * kMega, 'y');  // too large for any hole; 12 + 8 are no more than 16 + 4
  CHECK(arena.idle() == 8 * kMega);
  CHECK(blocks[0].is_whole());  // in memory, though nobody's
  const Block second(arena, 2 * kMega, 'z');
  CHECK(arena.idle() < kMega / 2);
  CHECK(blocks[0].at[kMega / 2] == 0);
  for (std::size_t i = 1; i < 16; i += 2) CHECK(blocks[i].is_whole());
  CHECK(first.is_whole());
  const Block third(arena, kMega, 't');  // such a hole is used again
  CHECK(third.at == blocks[0].at);
  CHECK(third.is_whole());
}

TEST_CASE("an arena that is full, or has no addresses, says so") {
  Arena arena(4 * kMega);
  CHECK(arena.take(4 * kMega + 1).first == nullptr);
  const Block whole(arena, 4 * kMega, 'w');
  CHECK(arena.take(1).first == nullptr);
  arena.give_back(whole.at, whole.size);
  CHECK(arena.take(1).first == whole.at);

  Arena none(std::size_t{1} << 62);
  CHECK(none.take(1).first == nullptr);
  CHECK_FALSE(none.contains(whole.at));
  Arena empty(0);
  CHECK(empty.take(1).first == nullptr);
}

}  // namespace
}  // namespace transformer
