#include "transformer/distributed/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "transformer/distributed/group.h"

namespace transformer::distributed {
namespace {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (good()) ::close(descriptor_);
  }
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;

  bool good() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Where a process finds another's file: how that one describes it.
struct Whereabouts {
  std::int64_t process = 0;
  int descriptor = -1;
  std::uint64_t inode = 0;
  std::string host;

  std::string text() const { return fmt::format("{} {} {} {}", process, descriptor, inode, host); }
  static std::optional<Whereabouts> from(const std::string& text) {
    Whereabouts found;
    std::istringstream in(text);
    in >> found.process >> found.descriptor >> found.inode;
    if (!in || !std::getline(in, found.host)) return std::nullopt;
    return found;
  }
};

/// Equal for processes that can see each other in /proc; empty where that is unknown.
std::string own_host() {
  std::string boot;
  if (!std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot)) return "";
  std::string host = boot;
  for (const auto* space : {"/proc/self/ns/pid", "/proc/self/ns/net"}) {
    std::array<char, PATH_MAX> name{};
    if (::readlink(space, name.data(), name.size() - 1) <= 0) return "";
    host += std::string(" ") + name.data();
  }
  return host;
}

std::optional<std::uint64_t> inode_of(const File& file, std::size_t bytes) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0 || status.st_size != static_cast<off_t>(bytes))
    return std::nullopt;
  return status.st_ino;
}

/// Takes the memory now, when its lack can still be answered: later it would end the process.
File make_file(std::size_t bytes) {
  File file(::memfd_create("transformer", MFD_CLOEXEC));
  if (!file.good()) return file;
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(file.descriptor(), 0, static_cast<off_t>(bytes));
  return error == 0 ? std::move(file) : File(-1);
}

File open_file(const Whereabouts& at, std::size_t bytes) {
  const auto name = fmt::format("/proc/{}/fd/{}", at.process, at.descriptor);
  File file(::open(name.c_str(), O_RDWR | O_CLOEXEC));
  return file.good() && inode_of(file, bytes) == at.inode ? std::move(file) : File(-1);
}

std::string describe(const File& file, std::size_t bytes) {
  const auto host = own_host();
  const auto inode = file.good() ? inode_of(file, bytes) : std::nullopt;
  if (host.empty() || !inode) return "";
  return Whereabouts{::getpid(), file.descriptor(), *inode, host}.text();
}

/// → none where the processes cannot share
std::vector<Whereabouts> on_one_host(const std::vector<std::string>& texts) {
  std::vector<Whereabouts> all;
  for (const auto& text : texts) {
    const auto at = Whereabouts::from(text);
    if (!at || (!all.empty() && at->host != all.front().host)) return {};
    all.push_back(*at);
  }
  return all;
}

}  // namespace

std::shared_ptr<SharedMemory> SharedMemory::make(Group& group, std::size_t bytes) {
  const auto own = make_file(bytes);
  const auto all = on_one_host(group.exchange(describe(own, bytes)));
  std::shared_ptr<SharedMemory> memory(new SharedMemory(bytes));
  for (const auto& at : all) {
    const auto file = open_file(at, bytes);
    if (!file.good()) break;
    auto* part = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
    if (part == MAP_FAILED) break;
    memory->parts_.push_back(static_cast<std::byte*>(part));
  }
  const bool whole = std::ssize(memory->parts_) == group.size();
  if (group.any(!whole)) {  // who is here has no need of the others' descriptors any more
    spdlog::debug("the processes share no memory of {} bytes{}", bytes,
                  all.empty() ? ": they are not on one host, or have none" : "");
    return nullptr;
  }
  return memory;
}

SharedMemory::~SharedMemory() {
  for (auto* part : parts_) ::munmap(part, bytes_);
}

}  // namespace transformer::distributed
