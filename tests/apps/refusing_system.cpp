// A system that refuses, for tests. Preloaded (LD_PRELOAD), it grants TEST_THREADS threads at a time, where
// that is set, and no symbolic links where TEST_NO_LINKS is set.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> running = 0;

struct Call {
  void* (*start)(void*);
  void* argument;
};

struct Leaving {
  ~Leaving() { --running; }
};

void* run(void* data) {
  const auto call = *static_cast<Call*>(data);
  delete static_cast<Call*>(data);
  const Leaving leaving;
  return call.start(call.argument);
}

long most_threads() {
  const char* most = std::getenv("TEST_THREADS");
  return most != nullptr ? std::atol(most) : LONG_MAX;
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  static const long most = most_threads();
  if (++running > most) {
    --running;
    return EAGAIN;
  }
  auto* call = new (std::nothrow) Call{start, argument};
  const int error = call == nullptr ? EAGAIN : create(thread, attributes, run, call);
  if (error != 0) {
    delete call;
    --running;
  }
  return error;
}

extern "C" int symlink(const char* target, const char* link) noexcept {
  using Symlink = int (*)(const char*, const char*);
  static const auto real = reinterpret_cast<Symlink>(dlsym(RTLD_NEXT, "symlink"));
  if (std::getenv("TEST_NO_LINKS") == nullptr) return real(target, link);
  errno = EPERM;  // as vfat and exFAT say
  return -1;
}
