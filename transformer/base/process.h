// Programs that this one runs.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace transformer {

struct ProcessOptions {
  // "-" in place of a file: this program's own.
  std::filesystem::path input = "/dev/null";
  std::filesystem::path output = "/dev/null";                         ///< replaced if it exists
  std::filesystem::path errors = "/dev/null";                         ///< appended to
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< on top of this program's
  std::vector<std::string> without = {};  ///< variables that this program has and that one is not to have
  int inherited = -1;                     ///< a descriptor that stays open in the program, if not -1
};

/// How a program ended.
struct ProcessEnd {
  int status = 0;  ///< the exit status, where there was no signal
  int signal = 0;  ///< the signal that killed it, or 0

  bool good() const { return status == 0 && signal == 0; }
  /// Whether it ended of a signal that asks for it.
  bool was_signalled() const { return signal == SIGTERM || signal == SIGINT || signal == SIGHUP; }
  /// "exit status 2" or "killed by signal 9".
  std::string describe() const;
};

/// A running program. It is asked to stop (SIGTERM) when this program dies, however that happens; a Ctrl-C on
/// the terminal does not reach it. To be used by the thread that began it.
class Process {
 public:
  /// Throws what throw_file_error says of a file that cannot be opened. A program that cannot be run ends
  /// with status 127.
  explicit Process(const std::vector<std::string>& command, const ProcessOptions& options = {});
  /// Stops the program, and waits for it.
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  /// How it ended, if it has.
  std::optional<ProcessEnd> poll();
  ProcessEnd wait();
  /// Asks it to stop.
  void terminate();
  /// Stops it, even if it hangs or is stopped itself.
  void kill();

  pid_t id() const { return id_; }

  /// Lets all that run end at once, without what they have not saved: those that have not after a second are
  /// killed. To be called by any thread of a program that is about to end. While it holds the lock that this
  /// returns, no other thread hears how one of them ended, and says something about it.
  [[nodiscard]] static std::unique_lock<std::mutex> end_all();

 private:
  void take(int raw);

  pid_t id_ = -1;
  std::optional<ProcessEnd> end_;
};

}  // namespace transformer
