#include "transformer/distributed/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "transformer/base/exit_status.h"
#include "transformer/base/process.h"
#include "transformer/base/stopwatch.h"
#include "transformer/distributed/fault.h"
#include "transformer/distributed/store.h"

namespace transformer::distributed {
namespace {

class Launch {
 public:
  explicit Launch(const LaunchSettings& settings)
      : settings_(settings), store_(Store::serve({"127.0.0.1", 0})) {
    const auto run = std::to_string(::getpid());
    for (std::int64_t rank = 0; rank < settings.processes; ++rank)
      processes_.emplace_back(settings.command, options(rank, run));
    store_.enter(fmt::format("transformer/{}/0", run));
  }

  int wait() {
    constexpr std::chrono::milliseconds kLook{50};
    while (!std::ranges::all_of(processes_, [](auto& process) { return process.poll().has_value(); })) {
      if (is_interrupted() && !stopping_) {
        stopping_ = true;
        for (auto& process : processes_) process.terminate();
      }
      if (!fault_) look_for_fault();
      if (fault_) kill_who_stays();
      std::this_thread::sleep_for(kLook);
    }
    if (!fault_) look_for_fault();
    return fault_ ? fail() : end_of_all();
  }

 private:
  ProcessOptions options(std::int64_t rank, const std::string& run) const {
    ProcessOptions options{.errors = "-"};
    if (rank == 0) options.input = options.output = "-";
    options.environment = {{"RANK", std::to_string(rank)},
                           {"LOCAL_RANK", std::to_string(rank)},
                           {"WORLD_SIZE", std::to_string(settings_.processes)},
                           {"MASTER_ADDR", store_.address().host},
                           {"MASTER_PORT", std::to_string(store_.address().port)},
                           {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                           {"TORCHELASTIC_RUN_ID", run},
                           {"TORCHELASTIC_RESTART_COUNT", "0"}};
    if (std::getenv("OMP_NUM_THREADS") == nullptr) {
      const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
      options.environment.emplace_back(
          "OMP_NUM_THREADS", std::to_string(std::max<std::int64_t>(1, cores / settings_.processes)));
    }
    return options;
  }

  bool is_interrupted() const { return settings_.interrupted && *settings_.interrupted; }

  /// The first process that failed; the store then tells all, if that one could not.
  void look_for_fault() {
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      const auto end = processes_[rank].poll();
      if (!end || end->good() || (end->signal == 0 && end->status == kInterrupted)) continue;
      if (is_interrupted() && end->was_signalled()) continue;  // before it could ask for signals
      const Fault own{fmt::format("rank {} (process {}): {}{}", rank, processes_[rank].id(),
                                  end->signal != 0 ? "was " : "ended with ", end->describe()),
                      end->signal == 0 && end->status == kBadInput ? kBadInput : kFailed};
      fault_ = fault_from_text(store_.set_once(kFaultName, to_text(own)));
      since_fault_ = Stopwatch();
      return;
    }
  }

  void kill_who_stays() {
    constexpr double kSeconds = 12;
    if (since_fault_.seconds() < kSeconds) return;
    for (auto& process : processes_) process.kill();
  }

  int fail() {
    if (store_.add(kSpokenName, 1) > 1) return fault_->status;
    if (fault_->status == kBadInput) throw InputError(fault_->cause);
    throw RunError(fault_->cause);
  }

  int end_of_all() {
    return std::ranges::all_of(processes_, [](auto& process) { return process.wait().good(); })
               ? kDone
               : kInterrupted;
  }

  const LaunchSettings& settings_;
  Store store_;
  std::vector<Process> processes_;
  bool stopping_ = false;
  std::optional<Fault> fault_;
  Stopwatch since_fault_;
};

}  // namespace

int launch(const LaunchSettings& settings) {
  // c10d asks DNS for the name of each address that it connects to, and here all are of the loopback: where
  // no server answers, nobody is to wait for long.
  ::setenv("RES_OPTIONS", "timeout:1 attempts:1", /*replace=*/0);
  expect_connections(settings.processes);
  return Launch(settings).wait();
}

}  // namespace transformer::distributed
