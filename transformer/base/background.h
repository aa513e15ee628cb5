// Work beside other work.
#pragma once

#include <future>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "transformer/base/signals.h"

namespace transformer {

/// Starts `work` on a thread of its own, which takes no signals. If the system gives no more threads, it runs
/// here at once. get() returns its result or throws its exception. If get() is not called, the future's
/// destructor waits, so no thread outlives its data.
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
