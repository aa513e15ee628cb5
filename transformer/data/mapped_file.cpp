#include "transformer/data/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "transformer/base/bus_error.h"
#include "transformer/base/error.h"

namespace transformer::data {

MappedFile::MappedFile(const std::filesystem::path& file) : path_(file) {
  const auto fail = [&](const std::string& reason) {
    throw InputError(fmt::format("{}: cannot be read: {}", file.string(), reason));
  };
  const auto system_reason = [] { return std::generic_category().message(errno); };

  const int descriptor =
      ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer is none
  if (descriptor < 0) fail(system_reason());
  struct stat status = {};
  ::fstat(descriptor, &status);
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    fail("expected a regular file");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {  // an empty file cannot be mapped
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) {
      const std::string reason = system_reason();
      ::close(descriptor);
      fail(reason);
    }
    data_ = static_cast<const std::byte*>(mapped);
    watch_mapping(data_, size_, file);
  }
  ::close(descriptor);
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  forget_mapping(data_);
  ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace transformer::data
