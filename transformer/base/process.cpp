#include "transformer/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>

#include "transformer/base/error.h"
#include "transformer/base/stopwatch.h"

extern char** environ;

namespace transformer {
namespace {

/// A file that is open until this goes.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags, int own)
      : number_(path == "-" ? ::fcntl(own, F_DUPFD_CLOEXEC, 0)
                            : ::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) throw_file_error(path, "opening", errno);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::vector<std::string> make_environment(const ProcessOptions& options) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    const auto replaced =
        std::ranges::any_of(options.environment, [&](const auto& pair) { return pair.first == name; });
    if (!replaced && std::ranges::find(options.without, name) == options.without.end())
      all.emplace_back(text);
  }
  for (const auto& [name, value] : options.environment) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// Between fork and exec: nothing but system calls.
[[noreturn]] void become(char* const* arguments, char* const* environment, const std::array<int, 3>& files,
                         int inherited, pid_t parent) {
  ::setpgid(0, 0);
  // The kernel may send it more than once, as a dying parent's threads end: a second SIGTERM would mean "at
  // once", a second SIGHUP is none (stop_requests.h).
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  if (::getppid() != parent) ::_exit(127);  // it died before it could be watched
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int i = 0; i < 3; ++i) ::dup2(files.at(static_cast<std::size_t>(i)), i);
  if (inherited >= 0) ::fcntl(inherited, F_SETFD, 0);
  ::execvpe(arguments[0], arguments, environment);
  ::_exit(127);
}

/// The programs that have not been seen to end.
struct Running {
  std::mutex mutex;
  std::set<pid_t> ids;
};

Running& running() {
  static auto* const instance = new Running;  // outlives every thread
  return *instance;
}

}  // namespace

std::string ProcessEnd::describe() const {
  return signal != 0 ? fmt::format("killed by signal {}", signal) : fmt::format("exit status {}", status);
}

Process::Process(const std::vector<std::string>& command, const ProcessOptions& options) {
  const Descriptor input(options.input, O_RDONLY, STDIN_FILENO);
  const Descriptor output(options.output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  const Descriptor errors(options.errors, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
  auto texts = command;
  auto environment = make_environment(options);
  const auto arguments = pointers(texts);
  const auto variables = pointers(environment);
  const auto parent = ::getpid();
  sigset_t all, before;  // the new process must not answer a signal as this one would
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  id_ = ::fork();
  if (id_ != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (id_ < 0)
    throw RunError(
        fmt::format("{}: cannot be begun: {}", command.front(), std::generic_category().message(errno)));
  if (id_ == 0)
    become(arguments.data(), variables.data(), {input.number(), output.number(), errors.number()},
           options.inherited, parent);
  const std::lock_guard lock(running().mutex);
  running().ids.insert(id_);
}

Process::Process(Process&& other) noexcept : id_(std::exchange(other.id_, -1)), end_(other.end_) {}

Process::~Process() {
  if (id_ < 0 || end_) return;
  terminate();
  wait();
}

void Process::take(int raw) {
  end_ = WIFSIGNALED(raw) ? ProcessEnd{.signal = WTERMSIG(raw)} : ProcessEnd{.status = WEXITSTATUS(raw)};
  const std::lock_guard lock(running().mutex);
  running().ids.erase(id_);
}

std::optional<ProcessEnd> Process::poll() {
  int raw = 0;
  if (!end_ && ::waitpid(id_, &raw, WNOHANG) == id_) take(raw);
  return end_;
}

ProcessEnd Process::wait() {
  int raw = 0;
  while (!end_) {
    if (::waitpid(id_, &raw, 0) == id_)
      take(raw);
    else if (errno != EINTR)
      end_ = ProcessEnd{.status = 127};
  }
  return *end_;
}

void Process::terminate() {
  if (!end_) ::kill(id_, SIGTERM);
}

void Process::kill() {
  if (!end_) ::kill(id_, SIGKILL);
}

std::unique_lock<std::mutex> Process::end_all() {
  constexpr std::chrono::milliseconds kLook{5};
  constexpr double kSeconds = 1;
  const auto has_ended = [](pid_t id) {  // and is still to be waited for
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == id;
  };
  std::unique_lock lock(running().mutex);
  // Two requests of one launcher, whether or not it has handed on a first (stop_requests.h).
  for (const auto id : running().ids)
    for (const int signal : {SIGTERM, SIGINT}) ::kill(id, signal);
  const Stopwatch watch;
  for (const auto id : running().ids)
    while (!has_ended(id)) {
      if (watch.seconds() > kSeconds) ::kill(id, SIGKILL);
      std::this_thread::sleep_for(kLook);
    }
  return lock;
}

}  // namespace transformer
