#include "transformer/engine/team.h"

#include <system_error>

namespace transformer::engine {
namespace {

/// Looks before a thread sleeps: about a tenth of a millisecond.
constexpr int kLooks = 4000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

Team::Team(int members) {
  try {
    for (int member = 1; member < members; ++member) threads_.emplace_back([this, member] { serve(member); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work.
  }
}

Team::~Team() {
  call_ = nullptr;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void Team::run(Call call, const void* work) {
  call_ = call;
  work_ = work;
  busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  call(work, 0);
  for (int look = 0; busy_.load(std::memory_order_acquire) > 0; ++look) {
    if (look < kLooks)
      pause();
    else
      std::this_thread::yield();  // there are more threads than cores
  }
}

void Team::serve(int member) {
  for (std::uint32_t seen = 0;; ++seen) {
    for (int look = 0; look < kLooks && round_.load(std::memory_order_acquire) == seen; ++look) pause();
    round_.wait(seen, std::memory_order_acquire);
    if (call_ == nullptr) return;
    call_(work_, member);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace transformer::engine
