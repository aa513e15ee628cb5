// The fake device's memory: the host's pages, without access.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

namespace transformer::test::fake_device {

c10::Allocator& allocator();

/// While it lives, the memory of a tensor on the fake device can be read and written. A tensor on another
/// device may be given, too. Several at a time may open the same memory.
class Opened {
 public:
  explicit Opened(const at::Tensor& tensor);
  ~Opened();
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

 private:
  void* memory_;
};

/// The same bytes as a tensor on the CPU, to be used while an Opened lives.
at::Tensor on_host(const at::Tensor& tensor);

}  // namespace transformer::test::fake_device
