#include "transformer/base/file_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "transformer/base/error.h"

namespace transformer {

void expect_open_files(std::uint64_t needed, const std::string& purpose) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  if (limit.rlim_max >= needed) {
    const rlimit raised{needed, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return;
  }
  throw RunError(fmt::format("{}: expected a limit of {} open files or more (ulimit -n), found {}", purpose,
                             needed, limit.rlim_max));
}

}  // namespace transformer
