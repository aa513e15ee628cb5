// Work spread over LibTorch's threads.
#pragma once

#include <cstdint>
#include <functional>

namespace transformer::runtime {

/// Calls body(b, e) for consecutive parts of begin … end - 1, each of at least `grain` where there are as
/// many, on the threads that LibTorch's own operations use (at::set_num_threads), and returns when all are
/// done.
///
/// at::parallel_for is a template that runs on one thread in code that was not compiled for OpenMP; this is
/// the place that is.
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace transformer::runtime
