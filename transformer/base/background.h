// Work beside other work.
#pragma once

#include <future>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "transformer/base/signals.h"

namespace transformer {

/// Begins `work` on a thread of its own, which signals pass by, or does it at once where the system gives no
/// more threads. get() gives its result or throws what it threw; without it the future waits when it goes, so
/// that no thread outlives what it works on.
template <typename Work>
std::future<std::invoke_result_t<Work&>> in_background(Work work) {
  const auto shared = std::make_shared<Work>(std::move(work));
  const auto call = [shared] { return (*shared)(); };
  const DeafThreads signals_pass_by;
  try {
    return std::async(std::launch::async, call);
  } catch (const std::system_error&) {
    auto done = std::async(std::launch::deferred, call);
    done.wait();
    return done;
  }
}

}  // namespace transformer
