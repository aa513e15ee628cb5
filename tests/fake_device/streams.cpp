#include "tests/fake_device/streams.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "tests/fake_device/fake_device.h"

namespace transformer::test::fake_device {
namespace {

struct Queue {
  std::mutex mutex;
  std::mutex doing;  ///< one piece of work at a time, in order
  std::deque<std::function<void()>> work;
  std::size_t put = 0, done = 0;
};

struct Queues {
  std::mutex mutex;
  std::map<c10::StreamId, std::unique_ptr<Queue>> all;  ///< never removed: tensors may outlive a test
};

Queues& queues() {
  static auto* queues = new Queues;
  return *queues;
}

}  // namespace

c10::Stream new_stream() {
  auto& [mutex, all] = queues();
  const std::lock_guard lock(mutex);
  const auto id = static_cast<c10::StreamId>(all.size()) + 1;
  all[id] = std::make_unique<Queue>();
  return c10::Stream(c10::Stream::UNSAFE, device(), id);
}

void* handle_of(const c10::Stream& stream) {
  auto& [mutex, all] = queues();
  const std::lock_guard lock(mutex);
  const auto found = all.find(stream.id());
  return found == all.end() ? nullptr : found->second.get();
}

void put(void* handle, std::function<void()> work) {
  auto& queue = *static_cast<Queue*>(handle);
  const std::lock_guard lock(queue.mutex);
  queue.work.push_back(std::move(work));
  ++queue.put;
}

Moment::Moment(const c10::Stream& stream) : handle_(handle_of(stream)) {
  if (!handle_) return;
  auto& queue = *static_cast<Queue*>(handle_);
  const std::lock_guard lock(queue.mutex);
  count_ = queue.put;
}

bool Moment::is_past() const {
  if (!handle_) return true;
  auto& queue = *static_cast<Queue*>(handle_);
  const std::lock_guard lock(queue.mutex);
  return queue.done >= count_;
}

void Moment::wait() const {
  if (!handle_) return;
  auto& queue = *static_cast<Queue*>(handle_);
  const std::lock_guard doing(queue.doing);
  while (!is_past()) {
    std::function<void()> work;
    {
      const std::lock_guard lock(queue.mutex);
      work = std::move(queue.work.front());
      queue.work.pop_front();
    }
    work();
    const std::lock_guard lock(queue.mutex);
    ++queue.done;
  }
}

}  // namespace transformer::test::fake_device
