// Runs a target without libFuzzer, with any compiler: first the seeds, then mutants of them.
//
//   fuzz_NAME [--seconds=S] [--write-seeds=FOLDER] [FILE…]      FILEs: run these alone
//
// The target works in a child process, which leaves each input in shared memory before it runs it. However
// the child ends, the parent can keep the input. Exit status: 0 nothing found, 1 a defect, 2 wrong usage.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <thread>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/write_seeds.h"
#include "tests/temporary_folder.h"

/// A lying length must not get its memory, nor a loop without an end, however much the machine has.
extern "C" const char* __asan_default_options() {  // NOLINT: the sanitizer's name
  return "max_allocation_size_mb=1024:hard_rss_limit_mb=2048";
}

namespace {

using namespace transformer;
using Clock = std::chrono::steady_clock;

constexpr auto longest_run = std::chrono::seconds(20);  // of one input; more is a hang

/// What child and parent share.
struct Shared {
  std::atomic<std::uint64_t> runs = 0;
  std::size_t size = 0;
  std::array<std::uint8_t, 1U << 20U> input = {};
};

struct Options {
  int seconds = 2;
  std::vector<std::string> files;
};

void run(Shared& shared, const std::string& input) {
  shared.size = std::min(input.size(), shared.input.size());
  std::memcpy(shared.input.data(), input.data(), shared.size);
  ++shared.runs;
  // A copy of exactly that size, so that reading beyond its end is noticed.
  const std::vector<std::uint8_t> bytes(shared.input.data(), shared.input.data() + shared.size);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

void run_all(Shared& shared, const Options& options) {
  for (const auto& file : options.files) run(shared, test::content_of(file));
  if (!options.files.empty()) return;
  const auto end = Clock::now() + std::chrono::seconds(options.seconds);
  const auto seeds = fuzz::seeds();
  for (const auto& seed : seeds) run(shared, seed);
  fuzz::Mutator mutator(seeds, fuzz::words());
  while (Clock::now() < end) run(shared, mutator.next());
}

/// Waits for the child; kills it when it makes no progress. Returns what waitpid says.
int watch(pid_t child, const Shared& shared) {
  int status = 0;
  std::uint64_t seen = 0;
  auto since = Clock::now();
  while (::waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (shared.runs != seen) {
      seen = shared.runs;
      since = Clock::now();
    } else if (Clock::now() - since > longest_run) {
      fmt::print(stderr, "no end after {} s\n", longest_run.count());
      ::kill(child, SIGKILL);
      since = Clock::now();
    }
  }
  return status;
}

/// Writes the input at which the child died, and shows its beginning.
void keep(const Shared& shared, const std::string& program) {
  const std::string file = program + ".crash";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(shared.input.data()), static_cast<std::streamsize>(shared.size));
  std::string shown;
  for (std::size_t i = 0; i < std::min<std::size_t>(shared.size, 400); ++i) {
    const char c = static_cast<char>(shared.input[i]);
    shown +=
        c >= ' ' && c <= '~' && c != '\\' ? std::string(1, c) : fmt::format("\\x{:02x}", shared.input[i]);
  }
  fmt::print(stderr, "input {} of {} bytes, kept in {}:\n{}\n", shared.runs.load(), shared.size, file, shown);
}

int fuzz_in_child(const Options& options, const std::string& program) {
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  auto& shared = *new (memory) Shared;
  const auto started = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) return 2;
  if (child == 0) {
    run_all(shared, options);
    std::exit(0);
  }
  const int status = watch(child, shared);
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  fmt::print("{} runs, {:.0f} a second\n", shared.runs.load(), static_cast<double>(shared.runs) / seconds);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  keep(shared, program);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view seconds = "--seconds=";
  constexpr std::string_view write_seeds = "--write-seeds=";
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(write_seeds))
      return fuzz::write_seeds(argument.substr(write_seeds.size())) ? 0 : 2;
    if (argument.starts_with(seconds)) {
      const auto number = argument.substr(seconds.size());
      if (std::from_chars(number.begin(), number.end(), options.seconds).ptr == number.end()) continue;
    }
    if (argument.starts_with('-')) {
      fmt::print(stderr, "usage: {} [--seconds=S] [--write-seeds=FOLDER] [FILE…]\n", argv[0]);
      return 2;
    }
    options.files.emplace_back(argument);
  }
  return fuzz_in_child(options, argv[0]);
}
