#include "transformer/runtime/parallel.h"

#include <ATen/Parallel.h>

namespace transformer::runtime {

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  at::parallel_for(begin, end, grain, [&](std::int64_t b, std::int64_t e) { body(b, e); });
}

}  // namespace transformer::runtime
