// The fake device's streams. The default one never has anything to wait for. Another one does its work when
// somebody waits for it, and not before. So code that forgets to wait finds other numbers.
#pragma once

#include <c10/core/Stream.h>

#include <functional>

namespace transformer::test::fake_device {

/// Another one each time.
c10::Stream new_stream();

/// Its handle for put(); null for the default one.
void* handle_of(const c10::Stream& stream);

/// Thread-safe. The work has to do itself what makes it visible on the device's memory.
void put(void* handle, std::function<void()> work);

/// What a stream had to do when it was made.
class Moment {
 public:
  explicit Moment(const c10::Stream& stream);
  bool is_past() const;
  void wait() const;  ///< does it

 private:
  void* handle_;
  std::size_t count_ = 0;
};

}  // namespace transformer::test::fake_device
