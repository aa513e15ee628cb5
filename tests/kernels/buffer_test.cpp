#include "transformer/kernels/buffer.h"

#include <new>

#include "tests/catch.h"

namespace transformer::kernels {

TEST_CASE("a buffer is aligned and keeps its memory where it suffices") {
  Buffer<float> buffer(10);
  CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
  const float* before = buffer.data();
  buffer.resize(5);
  CHECK(buffer.data() == before);
  CHECK(buffer.size() == 10);
  buffer.resize(1 << 20);
  CHECK(buffer.size() == 1 << 20);
  buffer[(1 << 20) - 1] = 1.0F;
}

TEST_CASE("a buffer that grows keeps what it holds") {
  Buffer<std::int32_t> buffer;
  buffer.grow(3);
  for (std::int32_t i = 0; i < 3; ++i) buffer[i] = i;
  buffer.grow(4);
  CHECK(buffer.size() == 6);  // doubled
  buffer.grow(1000);
  CHECK(buffer.size() == 1000);
  for (std::int32_t i = 0; i < 3; ++i) CHECK(buffer[i] == i);
}

TEST_CASE("memory that does not exist is refused") {
  CHECK_THROWS_AS(reserve_memory(SIZE_MAX - 1), std::bad_alloc);
  CHECK_THROWS_AS(reserve_memory(SIZE_MAX / 2), std::bad_alloc);
}

}  // namespace transformer::kernels
