// The fake device's memory: pages of the host that have two addresses. Tensors have the one by which nobody
// may access them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

#include <map>
#include <vector>

namespace transformer::test::fake_device {

c10::Allocator& allocator();

/// Where the host reaches the same byte.
void* host_address(const void* memory);

/// All bytes that are in use, by address.
using Contents = std::map<void*, std::vector<char>>;
Contents contents();

/// Writes them back where memory is still in use. What came into use since gets bytes that are no numbers.
void set_contents(const Contents& contents);

/// The same bytes as a tensor on the CPU, which does not keep them alive.
at::Tensor on_host(const at::Tensor& tensor);

}  // namespace transformer::test::fake_device
