#include "transformer/translation/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace transformer::translation {

void for_pieces(std::size_t workers, std::size_t pieces,
                const std::function<void(std::size_t worker, std::size_t piece)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](std::size_t worker) {
    try {
      for (auto piece = next++; piece < pieces; piece = next++) work(worker, piece);
    } catch (...) {
      next = pieces;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t worker = 1; worker < std::min(workers, pieces); ++worker)
        others.emplace_back(run, worker);
    } catch (const std::system_error&) {
      // The system gives no more threads: those that there are do the work.
    }
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace transformer::translation
