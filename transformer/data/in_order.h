// Work on many threads whose results come in the order of the input.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "transformer/base/background.h"

namespace transformer::data {

/// Takes items through three steps on `threads` threads:
/// * `read(item)` fills the next item, or returns false at the end.
/// * `work(item)` does the slow part. `make_work()` makes one for each thread.
/// * `write(item)` takes the items in the order in which they were read.
///
/// One thread at a time reads, and one writes. Memory holds at most two items per thread plus one. If a step
/// throws, all threads end and the exception is thrown here. `waiting()` is called ten times a second on the
/// calling thread, which does the work itself if the system gives no more threads.
template <typename Item>
class InOrder {
 public:
  using Step = std::function<void(Item&)>;

  InOrder(std::function<bool(Item&)> read, std::function<Step()> make_work, Step write)
      : read_(std::move(read)), make_work_(std::move(make_work)), write_(std::move(write)) {}

  void run(int threads, const std::function<void()>& waiting) {
    most_done_ = static_cast<std::size_t>(std::max(threads, 1));
    std::vector<std::future<void>> workers;
    for (std::size_t i = 0; i < most_done_; ++i)
      workers.push_back(in_background([this] { work_and_tell(); }));
    for (auto& worker : workers) {
      while (worker.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) waiting();
    }
    for (auto& worker : workers) worker.get();  // throws what it threw
  }

 private:
  void work_and_tell() {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(writing_);
      failed_ = true;
      turn_.notify_all();
      throw;
    }
  }

  void work() {
    const Step work = make_work_();
    while (true) {
      Item item;
      const auto number = read(item);
      if (number < 0) return;
      work(item);
      if (!write(number, std::move(item))) return;
    }
  }

  /// The item's number, or -1 at the end.
  std::int64_t read(Item& item) {
    const std::lock_guard lock(reading_);
    if (std::exchange(ended_, true) || !read_(item)) return -1;  // nothing is read after what it throws
    ended_ = false;
    return next_read_++;
  }

  /// Leaves the item with those that are done, and writes what is next of them. False after a failure.
  bool write(std::int64_t number, Item item) {
    std::unique_lock lock(writing_);
    turn_.wait(lock, [&] { return failed_ || number == next_written_ || done_.size() < most_done_; });
    done_.emplace(number, std::move(item));
    for (auto first = done_.begin(); !failed_ && first != done_.end() && first->first == next_written_;
         first = done_.erase(first), ++next_written_) {
      write_(first->second);
    }
    turn_.notify_all();
    return !failed_;
  }

  std::function<bool(Item&)> read_;
  std::function<Step()> make_work_;
  Step write_;
  std::mutex reading_;
  bool ended_ = false;
  std::int64_t next_read_ = 0;
  std::mutex writing_;
  std::condition_variable turn_;
  bool failed_ = false;
  std::int64_t next_written_ = 0;
  std::map<std::int64_t, Item> done_;
  std::size_t most_done_ = 1;
};

}  // namespace transformer::data
