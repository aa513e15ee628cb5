// Work spread over LibTorch's threads.
#pragma once

#include <cstdint>
#include <functional>

namespace transformer::runtime {

/// Calls body(b, e) for consecutive parts of begin … end - 1. Each part has at least `grain` numbers if there
/// are so many. The calls run on the threads of LibTorch's own operations (at::set_num_threads). Returns when
/// all are done.
///
/// at::parallel_for is a template, which runs on one thread unless its caller is compiled for OpenMP. Only
/// this function's file is.
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace transformer::runtime
