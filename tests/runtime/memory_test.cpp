#include "transformer/runtime/memory.h"

#include <torch/torch.h>

#include <cstring>

#include "tests/catch.h"

using namespace transformer;

TEST_CASE("memory that tensors give back is used again, and what is kept is bounded") {
  runtime::keep_freed_memory();
  const auto before = runtime::memory_use();
  const void* place = nullptr;
  {
    const auto x = torch::empty({1 << 20});  // 4 MiB
    place = x.const_data_ptr();
    CHECK(reinterpret_cast<std::uintptr_t>(place) % 64 == 0);
    CHECK(runtime::memory_use().in_use >= before.in_use + (4 << 20));
  }
  CHECK(runtime::memory_use().in_use == before.in_use);
  CHECK(runtime::memory_use().kept >= before.kept + (4 << 20));
  CHECK(torch::empty({1 << 20}).const_data_ptr() == place);
  CHECK(torch::empty({(1 << 20) + 1000}).const_data_ptr() == place);  // of the same class of sizes

  // Ever new sizes: what was kept of the old ones is released.
  for (std::int64_t i = 1; i <= 200; ++i) CHECK(torch::full({i << 16}, 1.0F).sum().item<float>() == i << 16);
  const auto after = runtime::memory_use();
  CHECK(after.kept <= after.most + after.most / 4);
}

TEST_CASE("small, empty and resized tensors keep their values") {
  runtime::keep_freed_memory();
  CHECK(torch::empty({0}).numel() == 0);
  auto x = torch::arange(10);
  x.resize_({100000});
  CHECK(x[9].item<std::int64_t>() == 9);
  std::vector<torch::Tensor> many;
  for (std::int64_t i = 0; i < 2000; ++i) many.push_back(torch::full({i % 50 + 1}, i));
  for (std::int64_t i = 0; i < 2000; ++i) CHECK(many[static_cast<std::size_t>(i)].eq(i).all().item<bool>());
}
