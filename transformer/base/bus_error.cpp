#include "transformer/base/bus_error.h"

#include <fmt/format.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "transformer/base/log.h"
#include "transformer/base/temporary.h"

namespace transformer {
namespace {

struct Mapping {
  std::size_t size = 0;
  std::string file;
};

std::mutex mutex;  // for what is mapped; nobody who holds it reads any of that

std::map<const std::byte*, Mapping>& mappings() {
  static auto* const instance = new std::map<const std::byte*, Mapping>;  // outlives every thread
  return *instance;
}

sem_t happened;
std::atomic<const std::byte*> where = nullptr;
static_assert(std::atomic<const std::byte*>::is_always_lock_free, "a signal handler sets it");

/// A handler may do next to nothing, so the thread that read stays here and another one acts.
void stop_here(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const std::byte* nowhere = nullptr;
  where.compare_exchange_strong(nowhere, static_cast<const std::byte*>(info->si_addr));
  sem_post(&happened);
  while (true) pause();
}

/// The file that is mapped to an address, or nothing.
std::string file_at(const std::byte* address) {
  const std::lock_guard lock(mutex);
  const auto behind = mappings().upper_bound(address);
  if (behind == mappings().begin()) return "";
  const auto& [data, mapping] = *std::prev(behind);
  return address < data + mapping.size ? mapping.file : "";
}

void wait_for_bus_error() {
  while (sem_wait(&happened) != 0) continue;
  const auto file = file_at(where);
  if (file.empty()) {  // none of ours: as if nobody had asked for the signal
    std::signal(SIGBUS, SIG_DFL);
    ::kill(::getpid(), SIGBUS);
    return;
  }
  const auto message =
      fmt::format("{}: was made shorter, or cannot be read any more, while it was in use", file);
  show_status_line("");
  log_to_file("error: " + message);
  fmt::print(stderr, "error: {}\n", message);
  exit_without_temporaries(1);
}

void begin() {
  sem_init(&happened, 0, 0);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);  // other signals are for other threads
  std::thread(wait_for_bus_error).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = stop_here;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

void watch_mapping(const std::byte* data, std::size_t size, const std::filesystem::path& file) {
  static std::once_flag begun;
  std::call_once(begun, begin);
  const std::lock_guard lock(mutex);
  mappings()[data] = {size, file.string()};
}

void forget_mapping(const std::byte* data) {
  const std::lock_guard lock(mutex);
  mappings().erase(data);
}

}  // namespace transformer
