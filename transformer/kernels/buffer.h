// Memory for vectors: aligned, not initialised, kept between uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace transformer::kernels {

/// `bytes` of memory at a multiple of 64, as base/large_memory.h has it. Throws std::bad_alloc. To be given
/// back by release_memory.
void* reserve_memory(std::size_t bytes);
void release_memory(void* memory);

/// An array of T, which is a number. It grows, and never shrinks, so that what was allocated for one batch
/// serves the next.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t size) { resize(size); }

  /// Makes room for `size` elements. Where there was less, the old elements are lost.
  void resize(std::int64_t size) {
    if (size <= size_) return;
    data_.reset();
    size_ = 0;
    data_.reset(static_cast<T*>(reserve_memory(static_cast<std::size_t>(size) * sizeof(T))));
    size_ = size;
  }

  /// The same, but the old elements stay. Memory is doubled at least, so that growing is rare.
  void grow(std::int64_t size) {
    if (size <= size_) return;
    Buffer larger(size < 2 * size_ ? 2 * size_ : size);
    if (size_ > 0) std::memcpy(larger.data(), data(), static_cast<std::size_t>(size_) * sizeof(T));
    *this = std::move(larger);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::int64_t i) { return data_.get()[i]; }
  const T& operator[](std::int64_t i) const { return data_.get()[i]; }
  std::int64_t size() const { return size_; }

 private:
  struct Release {
    void operator()(T* memory) const { release_memory(memory); }
  };
  std::unique_ptr<T, Release> data_;
  std::int64_t size_ = 0;
};

}  // namespace transformer::kernels
