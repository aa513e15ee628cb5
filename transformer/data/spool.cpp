#include "transformer/data/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "transformer/base/error.h"
#include "transformer/base/temporary.h"

namespace transformer::data {

Spool::~Spool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Spool::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto now = std::min(bytes.size(), kPart - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(now));
    bytes = bytes.subspan(now);
    if (buffer_.size() == kPart) write_part();
  }
}

void Spool::write_part() {
  if (descriptor_ < 0) {
    std::string name = parent_folder(place_) / ".spool-XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw_file_error(place_, "creating", errno);
    ::unlink(name.c_str());
  }
  for (std::size_t done = 0; done < kPart;) {
    const auto place = static_cast<off_t>(parts_ * kPart + done);
    const auto count = ::pwrite(descriptor_, buffer_.data() + done, kPart - done, place);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_file_error(place_, "writing", errno);
    done += static_cast<std::size_t>(count);
  }
  ++parts_;
  buffer_.clear();
}

void Spool::read(const std::function<void(std::span<const std::byte>)>& take) const {
  std::vector<std::byte> part(parts_ > 0 ? kPart : 0);
  for (std::size_t i = 0; i < parts_; ++i) {
    for (std::size_t done = 0; done < kPart;) {
      const auto place = static_cast<off_t>(i * kPart + done);
      const auto count = ::pread(descriptor_, part.data() + done, kPart - done, place);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw_file_error(place_, "reading", count < 0 ? errno : EIO);
      done += static_cast<std::size_t>(count);
    }
    take(part);
  }
  if (!buffer_.empty()) take(buffer_);
}

}  // namespace transformer::data
