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

/// Writes what C streams hold and ends the process, leaving the static objects to the system: LibTorch takes
/// its thousands of operators off its lists one by one, for a third of the time of a program that does
/// little. What is to run at the end all the same is for std::at_quick_exit(). A sanitizer looks for leaks
/// first, as it would on return from main().
[[noreturn]] inline void end_process(int status) {
  std::fflush(nullptr);
#ifdef TRANSFORMER_FINDS_LEAKS
  __lsan_do_leak_check();
#endif
  std::quick_exit(status);
}

}  // namespace transformer
