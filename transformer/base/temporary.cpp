#include "transformer/base/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/base/error.h"

namespace transformer {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view temporary_mark = ".partial-";

/// The temporary names that this process uses. Whoever changes names holds the mutex.
struct Registry {
  std::mutex mutex;
  std::set<fs::path> names;
  std::set<fs::path> going;  ///< what is being deleted
  /// What each is to become. Those that failed stay: what went wrong in them may be reported later.
  std::map<fs::path, fs::path> places;
};

Registry& registry() {
  static auto* const instance = new Registry;  // outlives every thread
  return *instance;
}

/// A hidden name beside `path`, new to this process.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter = 0;
  return parent_folder(path) /
         fmt::format(".{}{}{}-{}", path.filename().string(), temporary_mark, ::getpid(), ++counter);
}

/// Whether temporary_name made it: ".NAME.partial-PROCESS-COUNT".
bool is_temporary_name(std::string_view name) {
  const auto mark = name.rfind(temporary_mark);
  if (!name.starts_with('.') || mark == std::string_view::npos) return false;
  const auto numbers = name.substr(mark + temporary_mark.size());
  const auto dash = numbers.find('-');
  return dash != std::string_view::npos && dash > 0 && dash + 1 < numbers.size() &&
         numbers.find_first_not_of("0123456789-") == std::string_view::npos &&
         numbers.find('-', dash + 1) == std::string_view::npos;
}

/// Whether a path leads to what is open.
bool leads_to(const fs::path& path, int descriptor) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Creates and locks it. The lock tells remove_abandoned_temporaries() that this process lives. -1 with errno
/// on failure; EEXIST means that another name must be tried.
int create(const fs::path& path, Temporary::Kind kind) {
  int descriptor = -1;
  switch (kind) {
    case Temporary::Kind::file:
      descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      break;
    case Temporary::Kind::folder:
      if (::mkdir(path.c_str(), 0777) != 0) return -1;
      descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (descriptor < 0 && errno == ENOENT) errno = EEXIST;  // removed already
      break;
  }
  if (descriptor < 0) return -1;
  // Between its making and its lock another process may take it for abandoned.
  const bool theirs = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!theirs && leads_to(path, descriptor)) return descriptor;
  ::close(descriptor);
  errno = EEXIST;
  return -1;
}

/// What has taken its place. The mutex is held.
void forget(const fs::path& temporary) {
  registry().names.erase(temporary);
  registry().places.erase(temporary);
}

/// What the registry has as going.
void finish_removing(const fs::path& going) {
  std::error_code ignored;  // what stays is an abandoned temporary
  fs::remove_all(going, ignored);
  const std::lock_guard lock(registry().mutex);
  registry().going.erase(going);
}

/// Beside another thread, which may delete the same or still write into it: either makes the system's
/// deleting give up.
void remove_entirely(const fs::path& path) {
  std::error_code ignored;
  for (int tries = 0; tries < 1000 && lies_at(path); ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fs::remove_all(path, ignored);
  }
}

/// Whether it could. What has taken the place of what goes must be there first.
bool bring_to_disk(const fs::path& folder) {
  try {
    sync_to_disk(folder, folder);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Removes what killed processes have left in a folder: temporaries for the place of that name, or for any.
void remove_abandoned(const fs::path& folder, const std::string& place) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto name = entry.path().filename().string();
    if (!is_temporary_name(name)) continue;
    const auto length = name.rfind(temporary_mark) - 1;  // behind the dot
    if (place.empty() || name.substr(1, length) == place) found.push_back(entry.path());
  }
  for (const auto& path : found) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, error);
    ::close(descriptor);
  }
}

std::atomic<bool> exiting = false;

}  // namespace

fs::path parent_folder(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

void sync_to_disk(const fs::path& path, const fs::path& place) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_file_error(place, "opening", errno);
  const int result = ::fsync(descriptor);
  const int error = errno;
  ::close(descriptor);
  // Some network file systems cannot sync folders and say EINVAL; there is no more that one could do.
  if (result != 0 && error != EINVAL) throw_file_error(place, "writing to disk", error);
}

bool lies_at(const fs::path& path) {
  return fs::exists(fs::symlink_status(path));
}

fs::path intended_place(const fs::path& path) {
  const std::lock_guard lock(registry().mutex);
  const auto& places = registry().places;
  auto intended = path;
  fs::path below;  // of `folder`
  for (auto folder = path; folder.has_relative_path();) {
    if (const auto found = places.find(folder); found != places.end()) {
      intended = below.empty() ? found->second : found->second / below;
      folder = found->second;  // which may lie in another
      continue;
    }
    below = below.empty() ? folder.filename() : folder.filename() / below;
    folder = folder.parent_path();
  }
  return intended;
}

bool in_temporary_folder(const fs::path& path) {
  const std::lock_guard lock(registry().mutex);
  for (auto folder = path.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (registry().names.contains(folder)) return true;
  return false;
}

Temporary::Temporary(const fs::path& place, Kind kind) : place_(place) {
  if (!in_temporary_folder(place)) remove_abandoned(parent_folder(place), place.filename().string());
  std::unique_lock lock(registry().mutex);
  do {
    path_ = temporary_name(place_);
    descriptor_ = create(path_, kind);
  } while (descriptor_ < 0 && errno == EEXIST);  // or left by a killed process that had our number
  if (descriptor_ < 0) {
    const int error = errno;
    lock.unlock();
    throw_file_error(place_, "creating", error);
  }
  registry().names.insert(path_);
  registry().places.emplace(path_, place_);
}

Temporary::~Temporary() {
  const std::lock_guard lock(registry().mutex);
  std::error_code ignored;
  if (registry().names.erase(path_) > 0) fs::remove_all(path_, ignored);
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Temporary::rename_into_place(unsigned flags) {
  {
    const std::lock_guard lock(registry().mutex);
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, place_.c_str(), flags) != 0) return false;
    forget(path_);
  }
  if (!in_temporary_folder(place_)) sync_to_disk(parent_folder(place_), place_);
  return true;
}

void Temporary::take_place() {
  if (!rename_into_place(0)) throw_file_error(place_, "renaming", errno);
}

bool Temporary::take_free_place() {
  if (rename_into_place(RENAME_NOREPLACE)) return true;
  if (errno == EEXIST) return false;
  if (errno != EINVAL) throw_file_error(place_, "renaming", errno);
  if (lies_at(place_)) return false;  // a file system that cannot do it in one step
  take_place();
  return true;
}

void Temporary::replace_folder() {
  std::unique_lock lock(registry().mutex);
  fs::path old = path_;
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, place_.c_str(), RENAME_EXCHANGE) != 0) {
    // A file system without exchange: for a moment neither is there, but the old one is not lost.
    old = temporary_name(place_);
    int error = ::rename(place_.c_str(), old.c_str()) != 0 ? errno : 0;
    if (error == 0 && ::rename(path_.c_str(), place_.c_str()) != 0) {
      error = errno;
      ::rename(old.c_str(), place_.c_str());
    }
    if (error != 0) {
      lock.unlock();
      throw_file_error(place_, "renaming", error);
    }
  }
  forget(path_);
  registry().going.insert(old);
  lock.unlock();
  sync_to_disk(parent_folder(place_), place_);  // before the old content goes
  finish_removing(old);
}

void remove_abandoned_temporaries(const fs::path& folder) {
  remove_abandoned(folder, "");
}

void remove_folder(const fs::path& folder) {
  const auto going = temporary_name(folder);
  std::unique_lock lock(registry().mutex);
  if (::rename(folder.c_str(), going.c_str()) != 0) {
    const int error = errno;
    lock.unlock();
    if (error == ENOENT) return;
    throw_file_error(folder, "removing", error);
  }
  registry().going.insert(going);
  lock.unlock();
  finish_removing(going);
}

void wait_if_exiting() {
  while (exiting) ::pause();
}

void exit_without_temporaries(int status) {
  registry().mutex.lock();  // for good: no other thread takes a place any more
  exiting = true;
  for (const auto& path : registry().names) remove_entirely(path);
  for (const auto& path : registry().going)
    if (bring_to_disk(parent_folder(path))) remove_entirely(path);
  ::_exit(status);
}

}  // namespace transformer
