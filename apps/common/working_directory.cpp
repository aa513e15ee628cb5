// MKL looks for LibTorch's libraries from the working directory, before main() begins. If that directory is
// gone, MKL would end every program, even with --help, with a message of its own. This code runs earlier and
// gives a clear message.
#include <unistd.h>

#include <array>
#include <climits>
#include <string_view>

#include "transformer/base/exit_status.h"

namespace {

void expect_working_directory() {
  std::array<char, PATH_MAX> path{};
  if (::getcwd(path.data(), path.size()) != nullptr) return;
  constexpr std::string_view kMessage =
      "error: the working directory: expected one that is there, found that it is gone or closed\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(transformer::kBadInput);
}

/// Functions in this section run before the initialisers of shared libraries, such as MKL's.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)() = expect_working_directory;

}  // namespace
