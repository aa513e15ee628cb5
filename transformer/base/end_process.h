// How a program ends.
#pragma once

#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define TRANSFORMER_FINDS_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRANSFORMER_FINDS_LEAKS 1
#endif
#endif
#ifdef TRANSFORMER_FINDS_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

namespace transformer {

/// Flushes C streams and ends the process without destroying static objects: LibTorch would unregister
/// thousands of operators one by one, which takes a third of a short program's time. Code that must run at
/// the end goes into std::at_quick_exit(). Under a sanitizer it looks for leaks first, as a return from
/// main() would.
[[noreturn]] inline void end_process(int status) {
  std::fflush(nullptr);
#ifdef TRANSFORMER_FINDS_LEAKS
  __lsan_do_leak_check();
#endif
  std::quick_exit(status);
}

}  // namespace transformer
