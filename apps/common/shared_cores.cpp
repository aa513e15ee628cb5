// How OpenMP's threads wait for each other where other programs want the cores, too.
//
// A thread that has done its part of a product spins until the others have done theirs. By libgomp's default
// that is 300 000 times, some 15 ms, in which it keeps a core from the thread that it waits for. Here it
// sleeps after a quarter of that. Each thread also asks the scheduler for short turns, so that it comes back
// soon. A training beside other programs gains from both, and one that is alone loses nothing
// (docs/evidence/speed.md).
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// The kernel's struct sched_attr, as far as it has been since Linux 3.14.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

constexpr std::uint64_t kTurn = 100'000;  // nanoseconds: the shortest that Linux grants

/// Linux 6.12 and later grant it to everybody; others ignore it. Threads inherit it.
void ask_for_short_turns() {
  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;  // somebody has chosen another
  attributes.runtime = kTurn;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

bool says(const char* variable, std::string_view name) {
  const std::string_view text(variable);
  return text.starts_with(name) && text.substr(name.size()).starts_with('=');
}

/// libgomp reads its settings once, when it is loaded, from the environment that the program began with. So
/// the program begins once more, with one variable more. That takes two milliseconds.
void limit_spinning(char** arguments, char** environment) {
  std::vector<char*> variables;
  for (auto** variable = environment; *variable != nullptr; ++variable) {
    if (says(*variable, "OMP_WAIT_POLICY") || says(*variable, "GOMP_SPINCOUNT")) return;
    variables.push_back(*variable);
  }
  std::string spins = "GOMP_SPINCOUNT=80000";
  variables.push_back(spins.data());
  variables.push_back(nullptr);
  std::array<char, PATH_MAX> program{};  // by its name, which others see
  if (::readlink("/proc/self/exe", program.data(), program.size() - 1) > 0)
    ::execve(program.data(), arguments, variables.data());
}

void share_cores(int /*count*/, char** arguments, char** environment) {
  limit_spinning(arguments, environment);  // where it begins the program once more, that asks
  ask_for_short_turns();
}

/// Called before the shared libraries begin (working_directory.cpp).
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = share_cores;

}  // namespace
