#include "transformer/base/large_memory.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace transformer {

TEST_CASE("memory that is given back is used again, and what is kept is bounded") {
  const auto before = large_memory_use();
  void* const place = take_large_memory(4 << 20);
  CHECK(reinterpret_cast<std::uintptr_t>(place) % 64 == 0);
  CHECK(large_memory_use().in_use >= before.in_use + (4 << 20));
  give_back_large_memory(place);
  CHECK(large_memory_use().in_use == before.in_use);
  CHECK(large_memory_use().kept >= before.kept + (4 << 20));
  void* const again = take_large_memory((4 << 20) - 5000);
  CHECK(again == place);
  give_back_large_memory(again);

  for (std::size_t i = 1; i <= 100; ++i) {  // ever new sizes
    void* const memory = take_large_memory(i << 18);
    std::memset(memory, 1, i << 18);
    give_back_large_memory(memory);
  }
  const auto after = large_memory_use();
  CHECK(after.in_use + after.kept <= after.most + after.most / 4);
}

TEST_CASE("small memory, none and too much") {
  const auto before = large_memory_use();
  std::vector<char*> blocks;
  for (std::size_t bytes = 0; bytes < 30000; bytes += 97) {
    blocks.push_back(static_cast<char*>(take_large_memory(bytes)));
    REQUIRE(blocks.back() != nullptr);
    std::memset(blocks.back(), static_cast<int>(bytes % 100), bytes);
  }
  CHECK(large_memory_use().in_use == before.in_use);
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    CHECK(blocks[i][0] == static_cast<char>(97 * i % 100));
    CHECK(blocks[i][97 * i - 1] == static_cast<char>(97 * i % 100));
  }
  for (auto* block : blocks) give_back_large_memory(block);
  CHECK(take_large_memory(SIZE_MAX) == nullptr);
  CHECK(take_large_memory(SIZE_MAX - 64) == nullptr);
  CHECK(take_large_memory(SIZE_MAX / 4) == nullptr);
}

TEST_CASE("threads share large memory") {
  const auto before = large_memory_use().in_use;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      for (std::size_t i = 0; i < 300; ++i) {
        const std::size_t bytes = (std::size_t{40} << 10) + 1000 * (i % 50);
        auto* const memory = static_cast<unsigned char*>(take_large_memory(bytes));
        std::memset(memory, t, bytes);
        for (std::size_t k = 0; k < bytes; k += 512) wrong[static_cast<std::size_t>(t)] += memory[k] != t;
        give_back_large_memory(memory);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto count : wrong) CHECK(count == 0);
  CHECK(large_memory_use().in_use == before);
}

}  // namespace transformer
